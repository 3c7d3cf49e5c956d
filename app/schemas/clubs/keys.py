"""Keys on the wire (docs/api.md#clubs-keys-and-players): the secret once, never again."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from app.schemas.common.fields import Body, Moment, Name
from app.services.access import Caller, ClubRole
from app.services.clubs import keys as stored


class KeyIn(Body):
    """A new key."""

    role: Annotated[
        ClubRole,
        Field(description="The admin key can create keys of role `president` only."),
    ]
    name: Annotated[Name | None, Field(description="The owner or purpose of the key; if missing, its role.")] = None
    expires_at: Annotated[
        Moment | None, Field(description="A time in the future; if missing, the key never expires.")
    ] = None


class Key(BaseModel):
    """A key, without its secret."""

    id: str
    name: str
    role: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: Annotated[datetime | None, Field(description="Rounded to the minute.")]


class NewKey(Key):
    """A new key with its secret."""

    secret: Annotated[str | None, Field(description="Shown only once; null if the response is repeated.")]


class KeyList(BaseModel):
    """Keys of a club that were not revoked, oldest first."""

    items: list[Key]
    next_cursor: str | None


class KeyInUse(BaseModel):
    """The key of this request."""

    id: Annotated[str | None, Field(description="Null for an admin key from the service's settings.")]
    name: str
    expires_at: datetime | None


class Me(BaseModel):
    """The caller's role and club."""

    role: str
    club: Annotated[str | None, Field(description="The slug of the key's club; null for the admin's key.")]
    key: KeyInUse


def key_wire(key: stored.Key) -> dict[str, Any]:
    """The key as :class:`Key` describes it."""
    return {
        "id": key.public_id,
        "name": key.name,
        "role": key.role,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "last_used_at": key.last_used_at,
    }


def me_wire(caller: Caller, club: str | None) -> dict[str, Any]:
    """The caller as :class:`Me` describes it."""
    key = {"id": caller.public_id, "name": caller.name, "expires_at": caller.expires_at}
    return {"role": caller.role, "club": club, "key": key}
