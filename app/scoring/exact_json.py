"""Strict JSON: what RFC 8259 allows and nothing that two readers could read in two ways."""

import json
import re
from decimal import Decimal
from typing import Any, Final, NoReturn

from app.scoring.text import Text, words

MOST_MEMBERS: Final = 1000
_MOST_DIGITS: Final = 30

_TWICE: Final = words("поле в объекте повторяется", "an object has a duplicate key")
_MEMBERS: Final = words(f"в объекте больше {MOST_MEMBERS} полей", f"an object has more than {MOST_MEMBERS} members")
_CONSTANT: Final = words("NaN и Infinity в JSON не пишут", "NaN and Infinity are not JSON")
_SURROGATE: Final = words("в тексте оборванный символ Юникода", "a string has an unpaired surrogate")
_TOO_DEEP: Final = words("слишком глубокая вложенность", "nested too deeply")
_TOO_LONG: Final = words("слишком длинное число", "a number is too long")


class MalformedJSON(ValueError):
    """The bytes are not one strict JSON text; ``reason`` says why and never repeats the input."""

    def __init__(self, reason: Text) -> None:
        super().__init__(reason.en)
        self.reason = reason


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise MalformedJSON(_TWICE)
    if len(members) > MOST_MEMBERS:
        raise MalformedJSON(_MEMBERS)
    return members


def _constant(_name: str) -> NoReturn:
    raise MalformedJSON(_CONSTANT)


def _number(text: str) -> int | Decimal:
    """A number by its value: ``1.0`` and ``1e0`` are the integer 1."""
    number = Decimal(text)
    if number.adjusted() < _MOST_DIGITS and number == (whole := int(number)):
        return whole
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_number, parse_constant=_constant)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


def loads(body: bytes | str) -> Any:
    """The value of a JSON text; a number that is not whole is an exact :class:`~decimal.Decimal`.

    Raises:
        MalformedJSON: not UTF-8, not JSON, a repeated member or more than 1,000 of them, NaN or Infinity, half a
            surrogate pair, a number of thousands of digits, or nesting too deep to read.
    """
    try:
        text = body if isinstance(body, str) else body.decode("utf-8-sig")
        value = _DECODER.decode(text)
        if _SURROGATE_ESCAPE.search(text):
            json.dumps(value, ensure_ascii=False, default=str).encode()
    except json.JSONDecodeError as error:
        where = (error.lineno, error.colno)
        reason = words("строка {}, знак {}".format(*where), "at line {}, column {}".format(*where))
        raise MalformedJSON(reason) from None
    except UnicodeDecodeError as error:
        raise MalformedJSON(words(f"не UTF-8, байт {error.start}", f"not UTF-8 at byte {error.start}")) from None
    except UnicodeEncodeError:
        raise MalformedJSON(_SURROGATE) from None
    except RecursionError:
        raise MalformedJSON(_TOO_DEEP) from None
    except MalformedJSON:
        raise
    except (ValueError, ArithmeticError):
        raise MalformedJSON(_TOO_LONG) from None
    return value
