"""Evenings on the wire (docs/evenings.md)."""

import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints

from app.schemas.common.fields import Body
from app.services.games.evenings import DrawnSeating, EveningAsItIs

MOST_PLAYERS = 200

PlayerName = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=64)]


class EveningIn(Body):
    """Who is there."""

    players: Annotated[
        list[PlayerName],
        Field(max_length=MOST_PLAYERS, description="IDs or nicknames of players of the club, in order of arrival."),
    ]


class SeatingIn(Body):
    """For which game players are drawn."""

    table: Annotated[int, Field(strict=True, ge=1, le=1000, description="The number of the table.")] = 1
    seats: Annotated[int, Field(strict=True, ge=1, le=30, description="How many play.")] = 10


class SeatedGuest(BaseModel):
    """A player of the club."""

    id: str
    nickname: str


class PresentPlayer(BaseModel):
    """A player who is there."""

    player: SeatedGuest
    arrived_at: datetime.datetime
    played: Annotated[int, Field(description="Games of the day that the player sat in.")]
    missed: Annotated[
        int,
        Field(description="Rounds since arriving without the player. Games of one number at several tables are one."),
    ]


class DrawnSeat(BaseModel):
    """Who sits where."""

    seat: int
    player: SeatedGuest


class NextGame(BaseModel):
    """The next game of a table."""

    table: Annotated[int | None, Field(description="Null: of games that name no table.")]
    number: Annotated[int, Field(description="The number that the game will have.")]
    seats: Annotated[list[DrawnSeat] | None, Field(description="Who was drawn to play it; null if nobody was.")]


class Evening(BaseModel):
    """An evening of a club."""

    day: datetime.date
    players: Annotated[list[PresentPlayer], Field(description="Who is there, in order of arrival.")]
    tables: Annotated[list[NextGame], Field(description="The tables that had a game or a seating on this day.")]


class Seating(BaseModel):
    """Who plays next, and where."""

    table: int
    number: Annotated[int, Field(description="The number of the game.")]
    seed: Annotated[str, Field(description="From which anyone can repeat the order of seats.")]
    at: datetime.datetime
    seats: list[DrawnSeat]
    waiting: Annotated[list[SeatedGuest], Field(description="Who does not play, the next to play first.")]


def evening_wire(evening: EveningAsItIs) -> dict[str, Any]:
    """The evening as :class:`Evening` describes it."""
    return {
        "day": evening.day,
        "players": [
            {
                "player": {"id": one.player.public_id, "nickname": one.player.nickname},
                "arrived_at": one.arrived_at,
                "played": one.played,
                "missed": one.missed,
            }
            for one in evening.there
        ],
        "tables": [
            {
                "table": place.table,
                "number": place.number,
                "seats": place.seating and _seats([(id, evening.names.get(id, id)) for id in place.seating.drawn]),
            }
            for place in evening.places
        ],
    }


def seating_wire(drawn: DrawnSeating) -> dict[str, Any]:
    """The seating as :class:`Seating` describes it."""
    table, number, seed, _, at = drawn.seating
    return {
        "table": table,
        "number": number,
        "seed": seed,
        "at": at,
        "seats": _seats([(player.public_id, player.nickname) for player in drawn.players]),
        "waiting": [{"id": player.public_id, "nickname": player.nickname} for player in drawn.waiting],
    }


def _seats(players: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [
        {"seat": seat, "player": {"id": id, "nickname": nickname}} for seat, (id, nickname) in enumerate(players, 1)
    ]
