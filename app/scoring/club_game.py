"""A game as a club's request has it: its seats may name players by their ids."""

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, StringConstraints

from app.patterns import PLAYER_ID
from app.scoring.game import MOST_SEATS, Game, Seat, UpTo, called_by_id


def _names_somebody(schema: dict[str, Any]) -> None:
    schema["required"].remove("player")
    schema["anyOf"] = [{"required": ["player"]}, {"required": ["player_id"]}]


class ClubSeat(Seat):
    """One player at the table, with the judge's notes. ``player_id`` alone names the player, too."""

    model_config = ConfigDict(json_schema_extra=_names_somebody)

    player_id: Annotated[
        Annotated[str, StringConstraints(strict=True, pattern=f"^{PLAYER_ID}$")] | None,
        Field(
            description="The ID of the player. If `player` is sent, too, it must be a current or former nickname of "
            "that player."
        ),
    ] = None


class ClubGame(Game):
    """The facts of one game of a club.

    Null means missing, and so do an empty list (except ``draw_makers: []``: nobody made the draw) and a bonus of 0.
    """

    seats: Annotated[tuple[ClubSeat, ...], BeforeValidator(called_by_id), UpTo(MOST_SEATS, null_is_empty=False)]
