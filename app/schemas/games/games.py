"""Kept games on the wire (docs/api.md#games-of-a-season)."""

import hashlib
from typing import Annotated, Any, Final, NamedTuple

import orjson
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from app.patterns import PLAIN_TEXT
from app.schemas.common.fields import PageQuery, page_wire
from app.schemas.common.numbers import Exact
from app.schemas.games.breakdown import Breakdown, SeatScore, SystemReference, breakdown_wire
from app.scoring import game as core
from app.scoring.game import Day
from app.services.games.approvals import Approval as KeptApproval
from app.services.games.history import PastVersion
from app.services.games.needed_approvals import GameStatus
from app.services.games.stored import StoredGame as Kept
from app.services.games.stored import version_tag
from app.services.storage import Page
from app.web.language import Language
from app.web.render import exact, render

_SEAT: Final = dict.fromkeys(("seat", "player", "player_id"))
"""What a seat begins with."""


Reason = Annotated[
    str | None,
    StringConstraints(strip_whitespace=True, max_length=500, pattern=PLAIN_TEXT),
    Field(description="The reason, visible to the club's own keys in the game's history."),
]
CreatePlayers = Annotated[
    bool,
    Field(
        description="Whether to create players for unknown nicknames. They are registered, unless the regulation "
        "requires registration (`city-average`)."
    ),
]


RegisterPlayers = Annotated[
    bool,
    Field(
        description="Whether new players are registered on the day of the game that creates them. Requires the key of "
        "a chief judge or the president."
    ),
]


AllowDuplicate = Annotated[
    bool, Field(description="Whether to keep a game that is likely stored already (`possible_duplicate`) beside it.")
]


class _Query(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SubmitQuery(_Query):
    """How a game is submitted."""

    create_players: CreatePlayers = False
    registered: RegisterPlayers = False
    allow_duplicate: AllowDuplicate = False


class CorrectQuery(_Query):
    """Why a game is corrected."""

    reason: Reason = None
    create_players: CreatePlayers = False
    registered: RegisterPlayers = False
    allow_duplicate: AllowDuplicate = False


class ReasonQuery(_Query):
    """Why a game is voided."""

    reason: Reason = None


class RestoreQuery(ReasonQuery):
    """Why a game is restored."""

    allow_duplicate: AllowDuplicate = False


class GamesQuery(PageQuery):
    """Which games of a season."""

    player: Annotated[str | None, Field(max_length=64, description="The ID of a player who sat at the table.")] = None
    since: Annotated[Day | None, Field(alias="from", description="The first day, inclusive.")] = None
    until: Annotated[Day | None, Field(alias="to", description="The last day, inclusive.")] = None
    status: Annotated[GameStatus | None, Field(description="One status; if missing, any.")] = None


class Seat(core.Seat):
    """One seat of a stored game."""

    player: Annotated[
        str, Field(description="The player's current nickname; in a history, the nickname recorded then.")
    ]
    player_id: str


class Game(core.Game):
    """The facts of a stored game."""

    seats: tuple[Seat, ...]


class KeptSeatScore(SeatScore):
    """The points of one seat in a stored game."""

    player_id: str


class KeptBreakdown(Breakdown):
    """Every seat's points in a stored game and, for each point, the clause that awarded it."""

    status: Annotated[GameStatus, Field(description="Only `counted` games are in the tables.")]
    seats: list[KeptSeatScore]  # type: ignore[assignment]


class ListedGame(BaseModel):
    """A stored game without its breakdown."""

    id: str
    external_id: str | None
    status: Annotated[GameStatus, Field(description="Only `counted` games are in the tables.")]
    version: int
    etag: Annotated[str, Field(description="The value for `If-Match`.")]
    revision: Annotated[int, Field(description="The season's revision that last changed the game.")]
    game: Game


class KeptGame(ListedGame):
    """A stored game."""

    breakdown: KeptBreakdown


class GameList(BaseModel):
    """Games of a season, most recently played first."""

    items: list[ListedGame]
    next_cursor: str | None


class WrittenBy(BaseModel):
    """The author of a version."""

    role: str
    key: Annotated["KeyName | None", Field(description="Null unless the request has a key of the club.")]


class KeyName(BaseModel):
    """A key of the club."""

    id: str
    name: str


class PointsMoved(BaseModel):
    """The points that a version changed in the table for one player in one seat; 0 if the game does not count."""

    seat: int
    player_id: str
    player: str
    before: Exact
    after: Exact
    difference: Exact


class GameVersion(BaseModel):
    """One version of a game."""

    version: int
    action: Annotated[
        str, Field(description="The action: `submitted`, `corrected`, `voided`, `restored`, `registered` …")
    ]
    status: GameStatus
    who: WrittenBy
    at: str
    reason: Annotated[str | None, Field(description="Null unless the request has a key of the club.")]
    revision: int
    rule_system: SystemReference
    changes: Annotated[list[PointsMoved], Field(description="Points that changed since the previous version.")]
    game: Annotated[Game, Field(description="The facts as recorded in this version.")]


class GameHistory(BaseModel):
    """Versions of a game, oldest first."""

    items: list[GameVersion]
    next_cursor: str | None


class Shown(NamedTuple):
    """An answer and what tells it from every other answer about the game."""

    wire: dict[str, Any]
    etag: str


def kept_wire(kept: Kept, language: Language) -> Shown:
    """The game as :class:`KeptGame` describes it.

    The ETag begins with the version, which is all that ``If-Match`` looks at, and goes on with a digest of the bytes:
    one version differs by language, by nicknames and by who reads it.
    """
    facts, scored = _facts_wire(kept), _breakdown_wire(kept, language)
    game, breakdown = render(facts), render(scored)
    digest = hashlib.blake2b(breakdown, key=hashlib.blake2b(game).digest(), digest_size=8)
    # A version that was lost, as in a failover, and made again may have the same facts under another status.
    digest.update(repr((kept.external_id, kept.status, kept.revision)).encode())
    etag = f'"{version_tag(kept.public_id, kept.version)}.{digest.hexdigest()}"'
    wire = _head_wire(kept, etag)
    return Shown(wire | {"game": orjson.Fragment(game), "breakdown": orjson.Fragment(breakdown)}, etag)


def games_wire(page: Page[Kept]) -> dict[str, Any]:
    """The page as :class:`GameList` describes it."""
    return page_wire(page, _item_wire)


def _item_wire(kept: Kept) -> dict[str, Any]:
    etag = f'"{version_tag(kept.public_id, kept.version)}"'
    return _head_wire(kept, etag) | {"game": _facts_wire(kept)}


def history_wire(page: Page[PastVersion]) -> dict[str, Any]:
    """The page as :class:`GameHistory` describes it."""
    return page_wire(page, _past_wire)


def approval_wire(approval: KeptApproval, kept: Kept) -> dict[str, Any]:
    """An approval and what became of it: by which key for the club, by which role for the others."""
    key = kept.deciders.get(approval.decided_by or 0)
    return {
        "clause": approval.clause,
        "seat": approval.seat,
        "by": approval.decider,
        "state": approval.state,
        "decided_by": approval.decided_role if key is None else key.public_id,
        "at": approval.at,
        "note": approval.note if kept.in_full else None,
    }


def _head_wire(kept: Kept, etag: str) -> dict[str, Any]:
    return {
        "id": kept.public_id,
        "external_id": kept.external_id,
        "status": kept.status,
        "version": kept.version,
        "etag": etag,
        "revision": kept.revision,
    }


def _facts_wire(kept: Kept) -> dict[str, Any]:
    seats = []
    for seat in kept.facts["seats"]:
        player = kept.players[seat["seat"]]
        seats.append(_SEAT | seat | {"player": player.nickname, "player_id": player.public_id})
    return _for_reader({**kept.facts, "seats": seats}, in_full=kept.in_full)


def _breakdown_wire(kept: Kept, language: Language) -> dict[str, Any]:
    if kept.breakdown is None:
        raise ValueError(f"the breakdown of {kept.public_id} was not asked for")
    wire = breakdown_wire(kept.breakdown, language, kept.warnings)
    for seat in wire["seats"]:
        player = kept.players[seat["seat"]]
        seat["player"] = player.nickname
        seat["player_id"] = player.public_id
    wire["status"] = kept.status
    wire["approvals"] = [approval_wire(approval, kept) for approval in kept.approvals]
    return wire


def _past_wire(past: PastVersion) -> dict[str, Any]:
    version = past.version
    seats = [_SEAT | seat | {"player_id": past.players[seat["seat"]].public_id} for seat in past.facts["seats"]]
    return {
        "version": version.version,
        "action": version.action,
        "status": version.status,
        "who": {
            "role": version.role,
            "key": None if past.key is None else {"id": past.key.public_id, "name": past.key.name},
        },
        "at": version.at,
        "reason": version.reason if past.in_full else None,
        "revision": version.revision,
        "rule_system": {"id": version.rule_system, "version": version.rule_version},
        "changes": [
            {
                "seat": seat,
                "player_id": player.public_id,
                "player": player.nickname,
                "before": exact(before),
                "after": exact(after),
                "difference": exact(after - before),
            }
            for seat, player, before, after in past.moved
        ],
        "game": _for_reader({**past.facts, "seats": seats}, in_full=past.in_full),
    }


def _for_reader(facts: dict[str, Any], *, in_full: bool) -> dict[str, Any]:
    if not in_full:
        for seat in facts["seats"]:
            seat.pop("bonus_note", None)
    return facts
