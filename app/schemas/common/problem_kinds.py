"""The types of problem that the service answers with, and what a problem looks like on the wire (RFC 9457)."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from app.scoring.text import Text, words


class Kind(NamedTuple):
    """One type of problem: its name under ``/problems/``, its status, a title and what it tells the client."""

    slug: str
    status: int
    title: Text
    meaning: Text


INVALID_REQUEST: Final = Kind(
    "invalid-request",
    422,
    words("Запрос не читается", "The request cannot be read"),
    words(
        "Тело или параметры имеют другую форму: не JSON, не тот тип, лишнее или недостающее поле, слишком длинно. "
        "Правила при этом не проверялись.",
        "The body or the query has another shape: not JSON, a wrong type, an unknown or a missing member, something "
        "too long. Rules were not looked at.",
    ),
)
RULE_VIOLATION: Final = Kind(
    "rule-violation",
    422,
    words("Регламент нарушен", "The regulation is broken"),
    words(
        "Запрос прочитан, но игра нарушает регламент. Перечислены все нарушения: пункт, место, предел и найденное.",
        "The request was read, but a game breaks its regulation. All breaches are listed: clause, place, limit.",
    ),
)
UNAUTHORIZED: Final = Kind(
    "unauthorized",
    401,
    words("Нужен ключ", "A key is needed"),
    words("Ключ не указан, неизвестен, отозван или истёк.", "The key is absent, unknown, revoked or expired."),
)
FORBIDDEN: Final = Kind(
    "forbidden",
    403,
    words("Недостаточно прав", "Not allowed"),
    words("Роль ключа этого не разрешает.", "The key's role does not allow this."),
)
NOT_FOUND: Final = Kind(
    "not-found",
    404,
    words("Не найдено", "Not found"),
    words("По этому адресу ничего нет или ключ не вправе это читать.", "Nothing is here, or the key may not read it."),
)
METHOD_NOT_ALLOWED: Final = Kind(
    "method-not-allowed",
    405,
    words("Метод не поддерживается", "The method is not supported"),
    words("Заголовок Allow перечисляет методы этого адреса.", "The Allow header lists what this address takes."),
)
TOO_SLOW: Final = Kind(
    "too-slow",
    408,
    words("Запрос не дошёл вовремя", "Request timeout"),
    words("Запрос передавался слишком медленно.", "The request did not arrive in time."),
)
CONFLICT: Final = Kind(
    "conflict",
    409,
    words("Конфликт", "Conflict"),
    words(
        "Запрос противоречит тому, что уже есть; code говорит, чему.",
        "The request contradicts what is kept; code says what.",
    ),
)
PRECONDITION_FAILED: Final = Kind(
    "precondition-failed",
    412,
    words("Версия уже другая", "The version has changed"),
    words("If-Match назвал не текущую версию.", "If-Match does not name the current version."),
)
TOO_LARGE: Final = Kind(
    "too-large",
    413,
    words("Слишком большое тело", "The body is too large"),
    words("Тело запроса больше предела.", "The request's body exceeds the limit."),
)
UNSUPPORTED_MEDIA_TYPE: Final = Kind(
    "unsupported-media-type",
    415,
    words("Тип тела не поддерживается", "The body's type is not read"),
    words("Тип тела не указан или здесь не читается.", "The body's type is not stated, or is not read here."),
)
IDEMPOTENCY_MISMATCH: Final = Kind(
    "idempotency-mismatch",
    422,
    words("Другой запрос с тем же ключом", "Another request with the same key"),
    words("С этим Idempotency-Key уже было другое тело.", "This Idempotency-Key came with another body before."),
)
PRECONDITION_REQUIRED: Final = Kind(
    "precondition-required",
    428,
    words("Нужен If-Match", "If-Match is needed"),
    words("Изменение требует ETag изменяемой версии.", "The change needs the ETag of the version it changes."),
)
RATE_LIMITED: Final = Kind(
    "rate-limited",
    429,
    words("Слишком много попыток", "Too many attempts"),
    words("Слишком много неудачных попыток входа.", "Too many failed attempts to authenticate."),
)
HEADERS_TOO_LARGE: Final = Kind(
    "headers-too-large",
    431,
    words("Слишком длинные заголовки", "Headers too large"),
    words(
        "Строка запроса и заголовки вместе длиннее предела; соединение закрыто.",
        "The request line and the headers exceed the limit together; the connection was closed.",
    ),
)
INTERNAL: Final = Kind(
    "internal",
    500,
    words("Ошибка сервиса", "The service failed"),
    words("Ошибка в самом сервисе; она записана в журнал.", "The fault is the service's own; it is in the log."),
)
UNAVAILABLE: Final = Kind(
    "unavailable",
    503,
    words("Сервис занят", "The service is busy"),
    words("Сейчас не получится; Retry-After говорит, когда повторить.", "Not now; Retry-After says when to try again."),
)
KINDS: Final[Mapping[str, Kind]] = {
    kind.slug: kind
    for kind in (
        INVALID_REQUEST, RULE_VIOLATION, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, METHOD_NOT_ALLOWED, TOO_SLOW, CONFLICT,
        PRECONDITION_FAILED, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, IDEMPOTENCY_MISMATCH, PRECONDITION_REQUIRED,
        RATE_LIMITED, HEADERS_TOO_LARGE, INTERNAL, UNAVAILABLE,
    )
}  # fmt: skip
