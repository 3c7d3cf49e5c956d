"""Options that several commands share, and values that hold a command's options."""

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias, get_type_hints

import typer

from app.cli.client import KEY_VARIABLE, URL_VARIABLE, Service, service_at
from app.web.language import Language

InLanguage: TypeAlias = Annotated[
    Language | None, typer.Option("--language", help="The language of messages; default: from LANG.")
]


class Connection(NamedTuple):
    """Options that say which service to talk to, and in which language."""

    url: Annotated[
        str | None, typer.Option(help=f"The service's address; default: {URL_VARIABLE}, then the config file.")
    ] = None
    key: Annotated[
        str | None,
        typer.Option(
            help=f"The key; default: {KEY_VARIABLE}, which other users of the machine cannot see, then the config file."
        ),
    ] = None
    config: Annotated[
        Path | None, typer.Option(help="A TOML file with url and key; default: ~/.config/mafrate.toml.")
    ] = None
    language: InLanguage = None

    def service(self) -> Service:
        """The service that the options, the environment or the file name.

        Raises:
            CommandError: the file cannot be read or says something else.
        """
        return service_at(self.url, self.key, self.config)


def options_in_values(command: Callable[..., None]) -> Callable[..., None]:
    """Show the fields of each NamedTuple parameter to typer as options, and fill the tuple with what they say."""
    signature = inspect.signature(command, eval_str=True)
    groups: dict[str, Any] = {
        name: parameter.annotation
        for name, parameter in signature.parameters.items()
        if hasattr(parameter.annotation, "_fields")
    }

    @wraps(command)
    def call(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field: given.pop(field) for field in group._fields})
        command(**given)

    parameters: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        parameters += _options(groups[name]) if name in groups else [parameter]
    vars(call)["__signature__"] = signature.replace(parameters=parameters)
    return call


def _options(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(field, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[field])
        for field, default in group._field_defaults.items()
    ]
