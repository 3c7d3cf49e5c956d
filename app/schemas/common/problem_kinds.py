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
    words("Ошибка в запросе", "Invalid request"),
    words(
        "Запрос не того формата: не JSON, не тот тип, лишнее поле, не хватает поля или слишком длинное значение. "
        "По регламенту игра не проверялась.",
        "The body or query is malformed: not JSON, wrong type, unknown or missing field, or too long. The "
        "regulation was not checked.",
    ),
)
RULE_VIOLATION: Final = Kind(
    "rule-violation",
    422,
    words("Игра нарушает регламент", "Regulation violated"),
    words(
        "Запрос прочитан, но игра нарушает регламент. О каждом нарушении сказано: пункт, поле, предел и что указано.",
        "A game breaks the regulation. All violations are listed: clause, location, limit.",
    ),
)
UNAUTHORIZED: Final = Kind(
    "unauthorized",
    401,
    words("Нужен ключ", "Authentication required"),
    words("Ключ не указан, неизвестен, отозван или просрочен.", "The key is missing, unknown, revoked or expired."),
)
FORBIDDEN: Final = Kind(
    "forbidden",
    403,
    words("Недостаточно прав", "Forbidden"),
    words("С правами этого ключа так сделать нельзя.", "The key's role does not allow this."),
)
NOT_FOUND: Final = Kind(
    "not-found",
    404,
    words("Не найдено", "Not found"),
    words("По этому адресу ничего нет, или этому ключу это не показывается.", "Not found, or the key may not read it."),
)
METHOD_NOT_ALLOWED: Final = Kind(
    "method-not-allowed",
    405,
    words("Метод не поддерживается", "Method not allowed"),
    words("Какие методы здесь есть, перечислено в заголовке Allow.", "The Allow header lists the supported methods."),
)
TOO_SLOW: Final = Kind(
    "too-slow",
    408,
    words("Запрос не дошёл вовремя", "Request timeout"),
    words("Запрос передавался слишком долго. Проверьте связь и повторите.", "The request did not arrive in time."),
)
CONFLICT: Final = Kind(
    "conflict",
    409,
    words("Конфликт", "Conflict"),
    words(
        "Запрос противоречит сохранённым данным; чему именно — в поле code.",
        "The request conflicts with stored data; see `code`.",
    ),
)
PRECONDITION_FAILED: Final = Kind(
    "precondition-failed",
    412,
    words("Версия изменилась", "The resource has changed"),
    words(
        "В If-Match указана не текущая версия. Прочитайте её снова и повторите.",
        "If-Match does not match the current version.",
    ),
)
TOO_LARGE: Final = Kind(
    "too-large",
    413,
    words("Слишком большой запрос", "Request body too large"),
    words("Запрос больше допустимого размера.", "The request body exceeds the limit."),
)
UNSUPPORTED_MEDIA_TYPE: Final = Kind(
    "unsupported-media-type",
    415,
    words("Формат данных не поддерживается", "Unsupported media type"),
    words("Content-Type не указан или здесь не принимается.", "The Content-Type is missing or not supported here."),
)
IDEMPOTENCY_MISMATCH: Final = Kind(
    "idempotency-mismatch",
    422,
    words("Idempotency-Key уже занят", "Idempotency-Key reused"),
    words(
        "С этим Idempotency-Key уже был другой запрос. Возьмите новое значение.",
        "This Idempotency-Key was already used with another body.",
    ),
)
PRECONDITION_REQUIRED: Final = Kind(
    "precondition-required",
    428,
    words("Нужен If-Match", "If-Match required"),
    words(
        "Укажите в If-Match ETag версии, которую меняете.",
        "The request needs If-Match with the ETag of the version to change.",
    ),
)
RATE_LIMITED: Final = Kind(
    "rate-limited",
    429,
    words("Слишком много попыток", "Too many attempts"),
    words(
        "Слишком много запросов с неверным ключом. Подождите: сколько — в Retry-After.",
        "Too many failed authentication attempts.",
    ),
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
    words("Ошибка сервиса", "Internal error"),
    words("Ошибка на стороне сервиса, она записана в журнал.", "The service failed. The error is in its log."),
)
UNAVAILABLE: Final = Kind(
    "unavailable",
    503,
    words("Сервис занят", "Service unavailable"),
    words(
        "Сервис сейчас не может ответить. Когда повторить — в Retry-After.",
        "The service is busy. Retry after the time in Retry-After.",
    ),
)
KINDS: Final[Mapping[str, Kind]] = {
    kind.slug: kind
    for kind in (
        INVALID_REQUEST, RULE_VIOLATION, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, METHOD_NOT_ALLOWED, TOO_SLOW, CONFLICT,
        PRECONDITION_FAILED, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, IDEMPOTENCY_MISMATCH, PRECONDITION_REQUIRED,
        RATE_LIMITED, HEADERS_TOO_LARGE, INTERNAL, UNAVAILABLE,
    )
}  # fmt: skip
