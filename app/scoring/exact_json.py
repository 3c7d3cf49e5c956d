"""Strict JSON: what RFC 8259 allows and nothing that two readers could read in two ways."""

import json
import re
from decimal import Decimal
from typing import Any, NoReturn


class MalformedJSON(ValueError):
    """The bytes are not one strict JSON text; ``reason`` says why and never repeats the input."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise MalformedJSON("an object names a member twice")
    return members


def _constant(_name: str) -> NoReturn:
    raise MalformedJSON("NaN and Infinity are not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=Decimal, parse_constant=_constant)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


def loads(body: bytes | str) -> Any:
    """The value of a JSON text; numbers with a fraction or an exponent are exact :class:`~decimal.Decimal`.

    Raises:
        MalformedJSON: not UTF-8, not JSON, a repeated member, NaN or Infinity, half a surrogate pair, a number of
            thousands of digits, or nesting too deep to read.
    """
    try:
        text = body if isinstance(body, str) else body.decode("utf-8-sig")
        value = _DECODER.decode(text)
        if _SURROGATE_ESCAPE.search(text):
            json.dumps(value, ensure_ascii=False, default=str).encode()
    except json.JSONDecodeError as error:
        raise MalformedJSON(f"not JSON at line {error.lineno}, column {error.colno}") from None
    except UnicodeDecodeError as error:
        raise MalformedJSON(f"not UTF-8 at byte {error.start}") from None
    except UnicodeEncodeError:
        raise MalformedJSON("a string holds half a surrogate pair") from None
    except RecursionError:
        raise MalformedJSON("nested too deeply") from None
    except MalformedJSON:
        raise
    except (ValueError, ArithmeticError):
        raise MalformedJSON("a number is too long") from None
    return value
