"""Looking after a database without a service: the audit, and keys."""

from datetime import UTC, datetime
from typing import Annotated, Final, TypeAlias

import typer

from app.cli.root import HERE, AsJSON, commands, database, of_keys, tell
from app.repositories.clubs import Club
from app.repositories.keys import Key
from app.schemas.keys import key_wire
from app.services import audit as audits
from app.services import clubs, keys
from app.services.access import Caller

_KEYS_AT_ONCE: Final = 200

ClubSlug: TypeAlias = Annotated[str, typer.Argument(help="The club's slug.")]


@commands.command(epilog="Example: mafrate audit --json")
def audit(*, json: AsJSON = False) -> None:
    """Work out anew all that is derived from the facts of the games, and name every difference from what is kept; the
    exit status is 1 when there is one.
    """
    differing = 0
    listed = []
    with database() as opened:
        for difference in audits.audit(opened):
            differing += 1
            if json:
                listed.append(difference._asdict())
            else:
                tell(str(difference))
    if json:
        tell({"differences": listed})
    elif not differing:
        tell("All that is kept follows from the facts.")
    if differing:
        raise typer.Exit(1)


@of_keys.command("list", epilog="Example: mafrate keys list moscow --json")
def list_keys(club: ClubSlug, *, json: AsJSON = False) -> None:
    """List the club's keys that were not revoked."""
    listed: list[Key] = []
    with database() as opened, opened.read() as tx:
        president = _president_of(clubs.find(tx, club))
        page = keys.page(tx, president, club, cursor=None, limit=_KEYS_AT_ONCE)
        while page.next_cursor is not None:
            listed += page.items
            page = keys.page(tx, president, club, cursor=page.next_cursor, limit=_KEYS_AT_ONCE)
        listed += page.items
    if json:
        tell({"items": [key_wire(key) for key in listed]})
        return
    for key in listed:
        until = f"until {key.expires_at:%Y-%m-%d %H:%M} UTC" if key.expires_at else "for good"
        used = f"used {key.last_used_at:%Y-%m-%d %H:%M} UTC" if key.last_used_at else "never used"
        tell(f"{key.public_id}  {key.role:<11}  {until}, {used}  {key.name}")


@of_keys.command("make-president", epilog='Example: mafrate keys make-president moscow --name "Kim, after the loss"')
def make_president(
    club: ClubSlug,
    *,
    name: Annotated[str, typer.Option(help="What the key is called.")] = "president",
    json: AsJSON = False,
) -> None:
    """Make a president's key, for a club whose president has lost his; its secret is shown this once."""
    admin = Caller(None, None, None, "admin", HERE)
    with database() as opened, opened.write() as tx:
        key, secret = keys.create(tx, admin, club, role="president", name=name, expires_at=None, now=datetime.now(UTC))
    tell({**key_wire(key), "secret": secret} if json else secret)


def _president_of(club: Club) -> Caller:
    """Whoever has the database may read what the president may."""
    return Caller(None, None, club.id, "president", HERE)
