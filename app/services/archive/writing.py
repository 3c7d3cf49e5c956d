"""Taking a season out: a zip with what each table keeps of it, a row a line."""

import zipfile
from typing import BinaryIO

import orjson

from app.repositories.archive import season_rows
from app.repositories.database import Transaction
from app.repositories.schema import schema_version
from app.repositories.seasons.seasons import Season
from app.services.access import Caller, require, season_for_reading
from app.services.archive.reading import FORMAT, MANIFEST, member


def season_of(tx: Transaction, caller: Caller, club: str, season: str) -> Season:
    """The season that the caller may take out whole, with every name, note and reason in it.

    Raises:
        NotFound: there is no such season that the caller may know of.
        Unauthorized, Forbidden: only the president takes archives.
    """
    found = season_for_reading(tx, caller, club, season)
    require(caller, "get_season_archive", found.club_id)
    return found


def write(tx: Transaction, season: Season, file: BinaryIO) -> None:
    """Write the archive of a season as it is in this transaction; the same season gives the same bytes."""
    counts: dict[str, int] = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in season_rows.parts(tx):
            counts[part.name] = 0
            with archive.open(member(part.name), "w", force_zip64=True) as lines:
                for row in season_rows.rows(tx, season.id, part):
                    lines.write(orjson.dumps(dict(zip(part.columns, row, strict=True))) + b"\n")
                    counts[part.name] += 1
        manifest = {
            "format": FORMAT,
            "schema_version": schema_version(tx),
            "club": season.club,
            "season": season.slug,
            "revision": season.revision,
            "awards_from": season.awards_from,
            "rows": counts,
        }
        with archive.open(MANIFEST, "w") as manifest_file:
            manifest_file.write(orjson.dumps(manifest, option=orjson.OPT_INDENT_2) + b"\n")
