"""A season as one file, and such a file as a season (docs/archive.md).

:func:`write` exports a season. :func:`staged` unpacks a file into a database of its own and verifies it there;
:func:`adopt` moves the season from there into a club.

- ``writing``: a season as a zip; ``reading``: such a zip within limits;
- ``staging``: a zip in a database of its own; ``values`` checks each value,
  :mod:`app.services.audit` everything that is derived;
- ``adopting``: from there into the club, whose keys and players ``people`` matches with the archive's.
"""

from app.services.archive.adopting import AdoptedSeason, adopt, demand_club
from app.services.archive.staging import StagedSeason, staged
from app.services.archive.writing import season_of, write

__all__ = ["AdoptedSeason", "StagedSeason", "adopt", "demand_club", "season_of", "staged", "write"]
