"""Maintenance of a database without a service: migrations, the audit, copies, the demo club."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from app.cli import demo_club as demo
from app.cli.application import AsJSON, CommandError, application, example
from app.cli.environment import database_name, open_database, read_settings, service_url, upgrade
from app.cli.output import print_line
from app.cli.transfer import slugs_of
from app.repositories import backups
from app.repositories.database import Database
from app.repositories.schema import newest_version
from app.scoring.text import words
from app.services import audit as audits
from app.services.errors import Conflict

_ANOTHER: Final = words("Выберите другой: --club.", "Choose another with --club.")


@application.command(epilog=example("migrate"), short_help="Upgrade the database and exit.")
def migrate(*, json: AsJSON = False) -> None:
    """Upgrade the database and exit. Use it before starting several services."""
    url = read_settings().database_url
    with closing(Database(url)) as database:
        upgrade(database, url)
    version = newest_version()
    print_line({"version": version} if json else f"Database schema version: {version}")


@application.command(
    epilog=example("audit demo/season"), short_help="Check stored data against the facts of the games."
)
def audit(
    season: Annotated[
        str | None, typer.Argument(metavar="CLUB/SEASON", help="One season; without it, the whole database.")
    ] = None,
    *,
    json: AsJSON = False,
) -> None:
    """Recompute all derived data from the facts of the games and report every difference from the stored data.

    The exit status is 1 if there are differences.
    """
    differing = 0
    listed = []
    slugs = None if season is None else slugs_of(season)
    with open_database() as database:
        for difference in audits.audit(database) if slugs is None else audits.audit_one(database, *slugs):
            differing += 1
            if json:
                listed.append(difference._asdict())
            else:
                print_line(str(difference))
    if json:
        print_line({"differences": listed})
    elif not differing:
        name = database_name(read_settings().database_url)
        what = "all data" if season is None else f"the data of {season}"
        print_line(f"No differences: {what} stored in {name} follows from the facts of the games.")
    if differing:
        raise typer.Exit(1)


@application.command(epilog=example("backup monday.db"), short_help="Copy an SQLite database while it is in use.")
def backup(
    file: Annotated[Path, typer.Argument(help="The file to create; it must not exist.")], *, json: AsJSON = False
) -> None:
    """Copy an SQLite database while it is in use, as one consistent snapshot.

    For PostgreSQL, use pg_dump.
    """
    size = backups.back_up(read_settings().database_url, file)
    print_line({"file": str(file), "bytes": size} if json else f"{file}: {size:,} bytes")


@application.command(epilog=example("restore monday.db --yes"), short_help="Restore a copy of an SQLite database.")
def restore(
    file: Annotated[Path, typer.Argument(help="A file created by mafrate backup.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Replace the current data without asking.")] = False,
    json: AsJSON = False,
) -> None:
    """Restore an SQLite database from a copy and upgrade it.

    Everything written since the copy is lost, including keys. A running service continues with the restored data.
    """
    url = read_settings().database_url
    if not yes:
        typer.confirm(f"Replace all data in the database with {file}?", abort=True, err=True)
    backups.restore(url, file)
    print_line({"file": str(file)} if json else "Restored.")


@application.command("demo", epilog=example("demo"), short_help="Create a demo club with tables.")
def create_demo_club(
    *, club: Annotated[str, typer.Option(help="The slug of the new club.")] = "demo", json: AsJSON = False
) -> None:
    """Create a club with a season and a tournament, to see live tables at once."""
    settings = read_settings()
    with closing(Database(settings.database_url)) as database:
        upgrade(database, settings.database_url)
        try:
            created = demo.create_demo(database, slug=club, now=datetime.now(UTC))
        except Conflict as error:
            raise CommandError(error.text, *error.args_of_text).followed_by(_ANOTHER) from None
    if json:
        print_line(created._asdict())
        return
    address = service_url(settings.host, settings.port)
    print_line(f"Created a demo club with {created.games} games in {database_name(settings.database_url)}.")
    print_line("While mafrate serve is running on this database, its tables are at")
    for season in (demo.SEASON, demo.CUP):
        print_line(f"  {address}/v1/clubs/{created.club}/seasons/{season}/standings")
    print_line(f"The president's key, shown only once:\n  {created.secret}")
