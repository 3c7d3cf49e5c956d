"""What the games of a season are recognised by."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from app.repositories.database import Transaction
from app.repositories.games import games
from app.repositories.games import traits as recognised
from app.repositories.seasons.seasons import Season
from app.services.audit.differences import FoundDifference, differs
from app.services.games.likeness import traits_as_stored

_AT_ONCE: Final = 200


def differences(tx: Transaction, season: Season) -> Iterator[FoundDifference]:
    """The games whose traits are not all written, though the season's are said to be.

    A game may have others: those of former versions, and of players before they were merged.
    """
    if season.traits_at > season.revision:
        yield differs("revision of the traits", f"up to {season.revision}", season.traits_at)
    if season.traits_at != season.revision:
        return  # the next game writes them
    each = games.each(tx, season.id)
    while batch := list(islice(each, _AT_ONCE)):
        seated = games.seats(tx, [game.id for game in batch])
        expected = {game: traits_as_stored(game, seated[game.id]).present for game in batch}
        found = recognised.sharing(tx, season.id, [trait for traits in expected.values() for trait in traits])
        for game, traits in expected.items():
            missing = [trait for trait in traits if game.id not in found.get(trait, ())]
            if missing:
                yield differs("traits that are written", len(traits), len(traits) - len(missing))._replace(
                    game=game.public_id
                )
