"""Routes that FastAPI describes and :mod:`app.web.bodies` reads (docs/decisions/0010-reading-requests.md)."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, cast

from fastapi import Depends, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.openapi.models import HTTPBearer
from fastapi.routing import APIRoute
from fastapi.security.base import SecurityBase
from pydantic import BaseModel

from app.routers.common.use_case import Session
from app.schemas.common.fields import NoQuery
from app.scoring.exact_json import loads
from app.services.errors import Unauthorized
from app.web.bodies import GAME_BYTES, read_json_bytes, read_query
from app.web.language import Language, language_of


class _Key(SecurityBase):
    """What FastAPI knows of keys, for the description: the key itself is looked up where the database is read."""

    def __init__(self, name: str) -> None:
        self.model = HTTPBearer(description="A key of a club, or the admin key.")
        self.scheme_name = name

    async def __call__(self, request: Request) -> Session:
        """For routes that are not :class:`StrictRoute`."""
        return Session(request)


NEEDED_KEY: Final = _Key("key")
OPTIONAL_KEY: Final = _Key("optional_key")

KeySession = Annotated[Session, Depends(NEEDED_KEY)]
"""Of a caller who must bring a key."""

OpenSession = Annotated[Session, Depends(OPTIONAL_KEY)]
"""Of any caller; a key shows more."""

AnswerLanguage = Annotated[Language, Depends(language_of)]
"""The language that ``Accept-Language`` prefers."""

GIVEN: Final[Mapping[object, Callable[[Request], object]]] = {
    NEEDED_KEY: Session,
    OPTIONAL_KEY: Session,
    language_of: language_of,
}
"""Dependencies that are met here, for microseconds: FastAPI would send ``language_of`` to a thread."""


class StrictRoute(APIRoute):
    """A route whose signature says what is read, strictly and in this order.

    FastAPI reads the path and meets the dependencies that are not :data:`GIVEN`. The query is then read as the model
    that the signature names with ``Query()``, or must be empty; headers are passed on as they are, None where absent.
    A body is read last, and not at all of who brings no key where the session needs one; its bytes are left in
    ``request.state.body``.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """As FastAPI makes it, but that nothing is left to it which is read here."""
        described, body_field = self.dependant, self.body_field
        self.dependant, self.body_field = self.left_to_framework(described), None
        try:
            return super().get_route_handler()
        finally:
            self.dependant, self.body_field = described, body_field

    def left_to_framework(self, described: Dependant) -> Dependant:
        """What FastAPI reads before it calls what reads the rest and then the endpoint."""
        return replace(
            described,
            call=_reading(described),
            dependencies=[each for each in described.dependencies if each.call not in GIVEN],
            query_params=[],
            header_params=[],
            body_params=[],
            request_param_name="request",
        )


def _reading(described: Dependant) -> Callable[..., Coroutine[Any, Any, Response]]:
    """The endpoint, called with what is read as its signature says."""
    endpoint = cast(Callable[..., Coroutine[Any, Any, Response]], described.call)
    query_name, query = model_of(described.query_params)
    body_name, body = model_of(described.body_params)
    headers = [(field.name, str(field.alias)) for field in described.header_params]
    needs_key = any(each.call is NEEDED_KEY for each in described.dependencies)
    given = given_of(described)
    request_name = described.request_param_name

    async def read(request: Request, **values: Any) -> Response:
        asked = read_query(request, query or NoQuery)
        if query_name is not None:
            values[query_name] = asked
        for name, header in headers:
            values[name] = request.headers.get(header)
        if body is not None and body_name is not None:
            if needs_key and "authorization" not in request.headers:
                raise Unauthorized
            sent = await read_json_bytes(request, GAME_BYTES)
            values[body_name] = body.model_validate(loads(sent))
            request.state.body = sent
        for name, give in given:
            values[name] = give(request)
        if request_name is not None:
            values[request_name] = request
        return await endpoint(**values)

    return read


def given_of(described: Dependant) -> list[tuple[str, Callable[[Request], object]]]:
    """The parameters that are :data:`GIVEN`, and what makes them."""
    return [
        (each.name, GIVEN[each.call]) for each in described.dependencies if each.name is not None and each.call in GIVEN
    ]


def model_of(fields: list[Any]) -> tuple[str, type[BaseModel]] | tuple[None, None]:
    """The name and the model of the only field, if there is one."""
    if not fields:
        return None, None
    (field,) = fields
    model = field.field_info.annotation
    if model is None or not issubclass(model, BaseModel):
        raise TypeError(f"{field.name}: a model expected, for names that it lacks are refused")
    return field.name, model
