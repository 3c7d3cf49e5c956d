"""Words in both languages of the clubs."""

from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict


class Text(BaseModel):
    """One text in Russian and in English; may hold ``{}`` places that :meth:`say` fills."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ru: str
    en: str

    def say(self, language: str, *args: Any) -> str:
        """The text in ``language`` (``"ru"``, else English), its places filled with ``args``."""
        text = self.ru if language == "ru" else self.en
        if not args:
            return text
        return text.format(*(_said(arg, language) for arg in args))


def _said(arg: Any, language: str) -> Any:
    if isinstance(arg, Text):
        return arg.say(language)
    return f"{arg:f}" if isinstance(arg, Decimal) else arg


def words(ru: str, en: str) -> Text:
    """A :class:`Text`, Russian first as in the regulations."""
    return Text(ru=ru, en=en)
