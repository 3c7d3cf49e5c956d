"""``mafrate keys``: keys of a club, directly in the database."""

from datetime import UTC, datetime
from typing import Annotated, Final, TypeAlias

import typer
from pydantic import TypeAdapter, ValidationError
from rich.table import Table

from app.cli.application import AsJSON, CommandError, application, example
from app.cli.environment import AUTHOR, open_database
from app.cli.output import console, print_line
from app.repositories.clubs.clubs import Club
from app.repositories.clubs.keys import Key
from app.schemas.clubs.keys import key_wire
from app.schemas.common.fields import Name
from app.scoring.text import words
from app.services.access import Caller, find_club
from app.services.clubs import keys

_KEYS_AT_ONCE: Final = 200
_NAME: Final = TypeAdapter[str](Name)
_NO_NAME: Final = words(
    "нужно название от 1 до 128 символов без управляющих символов",
    "expected a name of 1 to 128 characters without control characters",
)

key_commands = typer.Typer(
    help="Manage a club's keys directly in the database.", no_args_is_help=True, rich_markup_mode=None
)
application.add_typer(key_commands, name="keys")

ClubSlug: TypeAlias = Annotated[str, typer.Argument(help="The club's slug.")]


@key_commands.command("list", epilog=example("keys list demo"))
def list_keys(club: ClubSlug, *, json: AsJSON = False) -> None:
    """List the club's keys that are not revoked."""
    listed: list[Key] = []
    with open_database() as database, database.read() as tx:
        president = _president_of(find_club(tx, club))
        page = keys.page(tx, president, club, cursor=None, limit=_KEYS_AT_ONCE)
        while page.next_cursor is not None:
            listed += page.items
            page = keys.page(tx, president, club, cursor=page.next_cursor, limit=_KEYS_AT_ONCE)
        listed += page.items
    if json:
        print_line({"items": [key_wire(key) for key in listed]})
        return
    table = Table("id", "role", "name", "expires", "last used")
    for key in listed:
        table.add_row(key.public_id, key.role, key.name, _time(key.expires_at), _time(key.last_used_at))
    console().print(table)


@key_commands.command(
    "make-president",
    epilog=example('keys make-president demo --name "Kim, after the loss"'),
    short_help="Create a new president's key.",
)
def create_president_key(
    club: ClubSlug,
    *,
    name: Annotated[str, typer.Option(help="The name of the key.")] = "president",
    json: AsJSON = False,
) -> None:
    """Create a president's key for a club whose president lost the old one. The secret is shown only once."""
    try:
        chosen = _NAME.validate_python(name)
    except ValidationError:
        raise CommandError(_NO_NAME) from None
    admin = Caller(None, None, None, "admin", AUTHOR)
    with open_database() as database, database.write() as tx:
        key, secret = keys.create(
            tx, admin, club, role="president", name=chosen, expires_at=None, now=datetime.now(UTC)
        )
    print_line({**key_wire(key), "secret": secret} if json else secret)


def _time(at: datetime | None) -> str:
    return "never" if at is None else f"{at:%Y-%m-%d %H:%M} UTC"


def _president_of(club: Club) -> Caller:
    """A caller who may read what the president may, as anybody with the database."""
    return Caller(None, None, club.id, "president", AUTHOR)
