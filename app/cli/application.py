"""The application that every command belongs to, and the errors that end one."""

from importlib.metadata import version
from typing import Annotated, Any, Final, Self, TypeAlias

import typer
from typer.core import TyperGroup

from app.scoring.text import Text, words

_CLOSED: Final = words("Вывод закрыли раньше, чем он закончился.", "The output was closed before it was complete.")
_STOPPED: Final = words("Остановлено.", "Stopped.")

VERBATIM: Final = words("{}", "{}")
"""For a message that is the same in both languages or already in one."""


class CommandError(Exception):
    """What prevents a command, as a sentence for the user."""

    status = 2
    """The exit status of the command."""

    def __init__(self, text: Text, *values: object) -> None:
        super().__init__(text.say("en", *values))
        self.text = text
        self.values = values

    def say(self, language: str) -> str:
        """The sentence in ``language``."""
        return self.text.say(language, *self.values)

    def followed_by(self, more: Text) -> Self:
        """The same error, its sentence followed by another."""
        return type(self)(words(f"{self.text.ru} {more.ru}", f"{self.text.en} {more.en}"), *self.values)


class Interrupted(CommandError):
    """Ctrl+C."""

    status = 130

    def __init__(self, text: Text = _STOPPED, *values: object) -> None:
        super().__init__(text, *values)


class _Commands(TyperGroup):
    """A command group that explains interruptions in a sentence; typer only sets an exit status."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that is named."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted from None
        except BrokenPipeError:
            raise CommandError(_CLOSED) from None


application = typer.Typer(
    name="mafrate",
    cls=_Commands,
    help="Score Mafia games under club regulations. Settings are environment variables (MAFRATE_…); see README.md.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mafrate {version('mafrate')}")
        raise typer.Exit


@application.callback()
def _take_options(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Options of the command itself."""


AsJSON: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def example(words: str, **settings: str) -> str:
    """A command as it may be typed, on one line whatever the terminal's width."""
    before = "".join(f"{name}={value} " for name, value in settings.items())
    return f"\b\nExample: {before}mafrate {words}"
