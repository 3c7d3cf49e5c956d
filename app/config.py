"""Settings: environment variables that begin with ``MAFRATE_``, read once and checked together."""

import ipaddress
from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError

from app.spelling import nearest

PREFIX: Final = "MAFRATE_"


class WrongSetting(Exception):
    """A setting cannot be used; the message is one sentence for the operator."""


def _is_text(value: str) -> bool:
    """Whether it came from bytes that are UTF-8."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _words(value: object) -> object:
    return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value


def _origin(value: str) -> str:
    read = urlsplit(value)
    bare = value == f"{read.scheme}://{read.netloc}" and value.isascii() and read.port != 0
    if value == "*" or (read.scheme in {"http", "https"} and read.hostname and bare):
        return value
    raise ValueError


def _proxy(value: str) -> str:
    if value != "*":
        ipaddress.ip_network(value)
    return value


def _fit_for_a_header(key: SecretStr) -> SecretStr:
    secret = key.get_secret_value()
    if len(secret) < 16 or secret != secret.strip() or not (secret.isascii() and secret.isprintable()):
        raise ValueError
    return key


class Settings(BaseModel):
    """The settings of the service. A field's description says what it takes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    database_url: Annotated[str, Field(pattern=r"^(sqlite|postgres(ql)?(\+psycopg)?)://", repr=False)] = Field(
        "sqlite:///data/mafrate.db", description="sqlite:///PATH or postgresql://…"
    )
    cache_url: Annotated[str | None, Field(pattern=r"^rediss?://", repr=False)] = Field(
        None, description="redis://… (without it each process keeps its own cache)"
    )
    admin_key: Annotated[SecretStr, AfterValidator(_fit_for_a_header)] | None = Field(
        None, description="at least 16 printable ASCII characters"
    )
    host: str = Field("127.0.0.1", description="the address to listen on")
    port: int = Field(8000, ge=0, le=65535, description="a port, 0 to 65535")
    workers: int = Field(1, ge=1, le=64, description="a number of processes, 1 to 64")
    cors_origins: Annotated[tuple[Annotated[str, AfterValidator(_origin)], ...], BeforeValidator(_words)] = Field(
        (), description="origins such as https://club.example, separated by commas, or *"
    )
    trusted_proxies: Annotated[tuple[Annotated[str, AfterValidator(_proxy)], ...], BeforeValidator(_words)] = Field(
        (), description="addresses or networks of reverse proxies, separated by commas, or *"
    )
    read_only: bool = Field(False, description="true (only reads are served, from a standby for one) or false")
    webhook_private: bool = Field(False, description="true (webhooks may go anywhere, and without TLS) or false")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="debug, info, warning or error")
    judge_hours: int = Field(24, ge=0, le=100_000, description="hours, 0 to 100000")
    standings_at_once: int = Field(
        4, ge=1, le=64, description="how many stateless standings a process takes at once, 1 to 64"
    )

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Self:
        """The settings that ``environ`` holds; an empty value counts as none.

        Raises:
            WrongSetting: a name that begins with ``MAFRATE_`` is no setting, or a value cannot be used.
        """
        given = {name: value for name, value in environ.items() if name.startswith(PREFIX) and value}
        known = [PREFIX + field.upper() for field in cls.model_fields]
        for name in given:
            if name not in known:
                close = nearest(name, known)
                hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}."
                raise WrongSetting(f"{name} is not a setting; {hint}")
            if not _is_text(given[name]):
                raise WrongSetting(f"{name}: expected text in UTF-8.")
        try:
            return cls.model_validate({name.removeprefix(PREFIX).lower(): value for name, value in given.items()})
        except ValidationError as error:
            field = str(error.errors(include_input=False, include_url=False)[0]["loc"][0])
            raise WrongSetting(f"{PREFIX}{field.upper()}: expected {cls.model_fields[field].description}.") from None
