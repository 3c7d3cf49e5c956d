"""Looking after a database without a service: the audit, keys, copies."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer
from pydantic import TypeAdapter, ValidationError
from rich.table import Table

from app.cli.root import (
    HERE,
    AsJSON,
    CannotDo,
    address_of,
    commands,
    console,
    database,
    example,
    of_keys,
    read_settings,
    tell,
)
from app.repositories import backups
from app.repositories.clubs.clubs import Club
from app.repositories.clubs.keys import Key
from app.repositories.database import Database
from app.repositories.schema import bring_up_to_date
from app.schemas.clubs.keys import key_wire
from app.schemas.common.fields import Name
from app.services import audit as audits
from app.services import demo
from app.services.access import Caller, find_club
from app.services.clubs import keys
from app.services.errors import Conflict

_KEYS_AT_ONCE: Final = 200
_NAME: Final = TypeAdapter[str](Name)

ClubSlug: TypeAlias = Annotated[str, typer.Argument(help="The club's slug.")]


@commands.command(epilog=example("audit --json"), short_help="Compare all that is kept with the facts.")
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


@commands.command(epilog=example("backup monday.db"), short_help="Copy an SQLite database while it is used.")
def backup(
    file: Annotated[Path, typer.Argument(help="Where to; it must not be there yet.")], *, json: AsJSON = False
) -> None:
    """Copy an SQLite database while it is used: all of it as it is at one moment. Of PostgreSQL take a dump with
    pg_dump.
    """
    size = backups.back_up(read_settings().database_url, file)
    tell({"file": str(file), "bytes": size} if json else f"{file}: {size:,} bytes")


@commands.command(epilog=example("restore monday.db --yes"), short_help="Put a copy back.")
def restore(
    file: Annotated[Path, typer.Argument(help="What backup wrote.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Replace what is kept now without asking.")] = False,
    json: AsJSON = False,
) -> None:
    """Make an SQLite database what it was when the copy was taken, brought up to date; all that was written since is
    gone, keys too. A service that runs on it goes on with what was put back.
    """
    url = read_settings().database_url
    if not yes:
        typer.confirm(f"Replace all that the database keeps by {file}?", abort=True, err=True)
    backups.restore(url, file)
    tell({"file": str(file)} if json else "Restored.")


@commands.command("demo", epilog=example("demo"), short_help="Make a club with tables to look at.")
def found_demo(
    *, club: Annotated[str, typer.Option(help="The slug of the club that is made.")] = "demo", json: AsJSON = False
) -> None:
    """Make a club with a season and a tournament, to see live tables at once."""
    settings = read_settings()
    with closing(Database(settings.database_url)) as opened:
        bring_up_to_date(opened)
        try:
            made = demo.create_demo(opened, slug=club, now=datetime.now(UTC))
        except Conflict as error:
            raise CannotDo(f"{error} Name another with --club.") from None
    if json:
        tell(made._asdict())
        return
    address = address_of(settings.host, settings.port)
    tell(f"{made.games} games of a club that nobody has to do with. While mafrate serve runs, its tables are at")
    for season in (demo.SEASON, demo.CUP):
        tell(f"  {address}/v1/clubs/{made.club}/seasons/{season}/standings")
    tell(f"Its president's key, shown this once:\n  {made.secret}")


@of_keys.command("list", epilog=example("keys list demo"))
def list_keys(club: ClubSlug, *, json: AsJSON = False) -> None:
    """List the club's keys that were not revoked."""
    listed: list[Key] = []
    with database() as opened, opened.read() as tx:
        president = _president_of(find_club(tx, club))
        page = keys.page(tx, president, club, cursor=None, limit=_KEYS_AT_ONCE)
        while page.next_cursor is not None:
            listed += page.items
            page = keys.page(tx, president, club, cursor=page.next_cursor, limit=_KEYS_AT_ONCE)
        listed += page.items
    if json:
        tell({"items": [key_wire(key) for key in listed]})
        return
    table = Table("id", "role", "name", "expires", "last used")
    for key in listed:
        table.add_row(key.public_id, key.role, key.name, _moment(key.expires_at), _moment(key.last_used_at))
    console().print(table)


@of_keys.command(
    "make-president",
    epilog=example('keys make-president demo --name "Kim, after the loss"'),
    short_help="Replace a lost key.",
)
def make_president(
    club: ClubSlug,
    *,
    name: Annotated[str, typer.Option(help="What the key is called.")] = "president",
    json: AsJSON = False,
) -> None:
    """Make a president's key, for a club whose president has lost his; its secret is shown this once."""
    try:
        called = _NAME.validate_python(name)
    except ValidationError:
        raise CannotDo("expected a name of 1 to 128 characters without control characters") from None
    admin = Caller(None, None, None, "admin", HERE)
    with database() as opened, opened.write() as tx:
        key, secret = keys.create(
            tx, admin, club, role="president", name=called, expires_at=None, now=datetime.now(UTC)
        )
    tell({**key_wire(key), "secret": secret} if json else secret)


def _moment(at: datetime | None) -> str:
    return "never" if at is None else f"{at:%Y-%m-%d %H:%M} UTC"


def _president_of(club: Club) -> Caller:
    """Whoever has the database may read what the president may."""
    return Caller(None, None, club.id, "president", HERE)
