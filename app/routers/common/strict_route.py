"""Routes that FastAPI describes and :mod:`app.web.bodies` reads (docs/decisions/0010-reading-requests.md)."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, ClassVar, cast

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel

from app.routers.common.use_case import NEEDED_KEY, demand_key
from app.schemas.common.fields import NoQuery
from app.scoring.exact_json import loads
from app.web.bodies import GAME_BYTES, read_json_bytes, read_query


class StrictRoute(APIRoute):
    """A route whose signature says what is read, strictly and in this order.

    FastAPI reads the path and runs the dependencies. The query is then read as the model that the signature names with
    ``Query()``, or must be empty; headers are passed on as they are, None where absent. A body is read last, and of who
    brings no key not at all where the session needs one; its bytes are left in ``request.state.body``.
    """

    reads_path: ClassVar[bool] = True
    """Whether FastAPI reads the path and runs the dependencies; otherwise parts of the path are passed on unread."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """As FastAPI makes it, but that nothing is left to it which is read here."""
        described, body_field = self.dependant, self.body_field
        left = replace(described, query_params=[], header_params=[], body_params=[], request_param_name="request")
        if not self.reads_path:
            left = replace(left, path_params=[], dependencies=[])
        left.call = _reading(described, passes_path=not self.reads_path)
        self.dependant, self.body_field = left, None
        try:
            return super().get_route_handler()
        finally:
            self.dependant, self.body_field = described, body_field


def _reading(described: Dependant, *, passes_path: bool) -> Callable[..., Coroutine[Any, Any, Response]]:
    """The endpoint, called with what is read as its signature says."""
    endpoint = cast(Callable[..., Coroutine[Any, Any, Response]], described.call)
    query_name, query = _model(described.query_params)
    body_name, body = _model(described.body_params)
    headers = [(field.name, str(field.alias)) for field in described.header_params]
    needs_key = any(each.call is NEEDED_KEY for each in described.dependencies)
    request_name = described.request_param_name

    async def read(request: Request, **values: Any) -> Response:
        if passes_path:
            values.update(request.path_params)
        asked = read_query(request, query or NoQuery)
        if query_name is not None:
            values[query_name] = asked
        for name, header in headers:
            values[name] = request.headers.get(header)
        if body is not None and body_name is not None:
            if needs_key:
                demand_key(request)
            sent = await read_json_bytes(request, GAME_BYTES)
            values[body_name] = body.model_validate(loads(sent))
            request.state.body = sent
        if request_name is not None:
            values[request_name] = request
        return await endpoint(**values)

    return read


def _model(fields: list[Any]) -> tuple[str, type[BaseModel]] | tuple[None, None]:
    """The name and the model of the only field, if there is one."""
    if not fields:
        return None, None
    (field,) = fields
    model = field.field_info.annotation
    if not issubclass(model, BaseModel):
        raise TypeError(f"{field.name}: a model expected, for names that it lacks are refused")
    return field.name, model
