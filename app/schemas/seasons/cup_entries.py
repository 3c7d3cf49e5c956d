"""A cup's list of entries on the wire."""

from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, StringConstraints

from app.schemas.common.fields import Body, page_wire
from app.services.seasons.cup_entries import Entrant, EntryList
from app.web.language import Language

FREE_ENTRY: Final = "free_entry"
PRIORITY: Final = "priority_registration"


class CupEntryIn(Body):
    """The player to enter."""

    player: Annotated[
        str, StringConstraints(strict=True, max_length=64), Field(description="The ID of a player of the club.")
    ]


class EntryAward(BaseModel):
    """An award of the qualifying season."""

    clause: str
    code: str
    name: Annotated[str, Field(description="In the language of the response.")]


class EnteredPlayer(BaseModel):
    """A player of the club."""

    id: str
    nickname: str


class CupEntry(BaseModel):
    """A player who entered, or who has an award and did not enter."""

    player: EnteredPlayer
    entered_at: Annotated[datetime | None, Field(description="Null if the player has not entered.")]
    fee_waived: Annotated[bool | None, Field(description="Null if this key may not read the qualifying season.")]
    priority: Annotated[bool | None, Field(description="Null if this key may not read the qualifying season.")]
    awards: Annotated[list[EntryAward], Field(description="All awards from the qualifying season.")]


class CupEntryList(BaseModel):
    """Entries, oldest first."""

    awards_from: Annotated[str | None, Field(description="The slug of the qualifying season.")]
    provisional: Annotated[
        bool | None,
        Field(description="True while the awards may still change; false once the qualifying season is closed."),
    ]
    items: list[CupEntry]
    next_cursor: str | None
    not_entered: Annotated[
        list[CupEntry], Field(description="Players with an award of the qualifying season who have not entered.")
    ]


def entries_wire(found: EntryList, language: Language) -> dict[str, Any]:
    """The list as :class:`CupEntryList` describes it."""
    return {
        "awards_from": found.season.awards_from,
        "provisional": found.provisional,
        **page_wire(found.page, lambda entrant: entry_wire(entrant, language)),
        "not_entered": [entry_wire(entrant, language) for entrant in found.not_entered],
    }


def entry_wire(entrant: Entrant, language: Language) -> dict[str, Any]:
    """The entry as :class:`CupEntry` describes it."""
    held = entrant.awards
    codes = None if held is None else {award.code for award in held}
    return {
        "player": {"id": entrant.player.public_id, "nickname": entrant.player.nickname},
        "entered_at": entrant.entered_at,
        "fee_waived": None if codes is None else FREE_ENTRY in codes,
        "priority": None if codes is None else PRIORITY in codes,
        "awards": [
            {"clause": award.clause, "code": award.code, "name": award.name.say(language)} for award in held or ()
        ],
    }
