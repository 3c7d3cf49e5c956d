"""A season as one file, and such a file as a season (docs/archive.md).

:func:`write` takes a season out. :func:`staged` unpacks a file into a database of its own and proves it there;
:func:`adopt` moves the season from there into a club.
"""

from app.services.archive.adopting import AdoptedSeason, adopt, demand_club
from app.services.archive.staging import StagedSeason, staged
from app.services.archive.writing import season_of, write

__all__ = ["AdoptedSeason", "StagedSeason", "adopt", "demand_club", "season_of", "staged", "write"]
