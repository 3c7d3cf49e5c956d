"""Words in both languages of the clubs."""

from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict


class Text(BaseModel):
    """A text in Russian and English. May contain ``{}`` placeholders that :meth:`say` fills."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ru: str
    en: str

    def say(self, language: str, *args: Any) -> str:
        """The text in ``language`` (``"ru"``, else English), its placeholders filled with ``args``.

        Texts are said in that language, lists with commas, numbers in Russian as ``−0,7``.
        """
        text = self.ru if language == "ru" else self.en
        if not args:
            return text
        return text.format(*(_said(arg, language) for arg in args))


def _said(arg: Any, language: str) -> str:
    match arg:
        case str():
            return arg
        case Text():
            return arg.say(language)
        case int() | Decimal():
            number = format(arg, "d" if isinstance(arg, int) else "f")
            return number.replace("-", "−").replace(".", ",") if language == "ru" else number
        case list() | tuple():
            return ", ".join([_said(part, language) for part in arg])
        case _:
            return str(arg)


def words(ru: str, en: str) -> Text:
    """A :class:`Text`, Russian first as in the regulations."""
    return Text(ru=ru, en=en)
