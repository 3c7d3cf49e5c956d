"""Settings: what the environment may say, and how a wrong word is refused."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.config import PREFIX, Settings, WrongSetting


def test_without_any_variable_the_service_is_local_and_its_data_a_file() -> None:
    settings = Settings.from_environ({})
    assert (settings.host, settings.port, settings.workers) == ("127.0.0.1", 8000, 1)
    assert settings.database_url.startswith("sqlite:///data/")
    assert (settings.cache_url, settings.admin_key, settings.cors_origins, settings.trusted_proxies) == (
        None,
        None,
        (),
        (),
    )


def test_variables_are_read_and_empty_ones_count_as_absent() -> None:
    settings = Settings.from_environ(
        {
            "MAFRATE_PORT": "9000",
            "MAFRATE_HOST": "",
            "MAFRATE_CORS_ORIGINS": "https://a.example, https://b.example",
            "MAFRATE_TRUSTED_PROXIES": "10.0.0.0/8 ::1",
            "MAFRATE_ADMIN_KEY": "0123456789abcdef",
            "PORT": "1",
        }
    )
    assert (settings.host, settings.port) == ("127.0.0.1", 9000)
    assert settings.cors_origins == ("https://a.example", "https://b.example")
    assert settings.trusted_proxies == ("10.0.0.0/8", "::1")
    assert settings.admin_key is not None
    assert settings.admin_key.get_secret_value() == "0123456789abcdef"


@pytest.mark.parametrize(
    "name, value, sentence",
    [
        ("MAFRATE_PROT", "1", "MAFRATE_PROT is not a setting; did you mean MAFRATE_PORT?"),
        ("MAFRATE_PORT", "http", "MAFRATE_PORT: expected a port, 0 to 65535."),
        ("MAFRATE_PORT", "65536", "MAFRATE_PORT: expected a port, 0 to 65535."),
        ("MAFRATE_WORKERS", "0", "MAFRATE_WORKERS: expected a number of processes, 1 to 64."),
        ("MAFRATE_ADMIN_KEY", "short", "MAFRATE_ADMIN_KEY: expected at least 16 printable ASCII characters."),
        ("MAFRATE_DATABASE_URL", "mysql://x", "MAFRATE_DATABASE_URL: expected sqlite:///PATH or postgresql://…."),
        ("MAFRATE_LOG_LEVEL", "loud", "MAFRATE_LOG_LEVEL: expected debug, info, warning or error."),
    ],
)
def test_a_wrong_setting_is_refused_in_one_sentence(name: str, value: str, sentence: str) -> None:
    with pytest.raises(WrongSetting) as caught:
        Settings.from_environ({name: value})
    assert str(caught.value) == sentence


@pytest.mark.parametrize("name", [PREFIX + field.upper() for field in Settings.model_fields])
def test_what_is_not_text_is_refused_whatever_the_setting(name: str) -> None:
    value = b"0123456789abcdef\x80".decode(errors="surrogateescape")  # as the environment gives it
    with pytest.raises(WrongSetting) as caught:
        Settings.from_environ({name: value})
    assert str(caught.value) == f"{name}: expected text in UTF-8."


@pytest.mark.parametrize(
    "value",
    [
        "club.example", "http://", "https://club.example/", "https://club.example/page", "https://club.example?page",
        "https://club.example:port", "https://club.example:99999", "https://:443", "ftp://club.example",
        "https://клуб.example", "https://[::1", "**",
    ],
)  # fmt: skip
def test_what_no_browser_calls_an_origin_is_refused(value: str) -> None:
    with pytest.raises(WrongSetting, match="MAFRATE_CORS_ORIGINS: expected origins"):
        Settings.from_environ({"MAFRATE_CORS_ORIGINS": f"https://a.example, {value}"})


@pytest.mark.parametrize("value", ["*", "http://localhost:3000", "https://club.example", "http://[::1]:8080"])
def test_an_origin_is_taken(value: str) -> None:
    assert Settings.from_environ({"MAFRATE_CORS_ORIGINS": value}).cors_origins == (value,)


@pytest.mark.parametrize(
    "value", ["ключ администратора", "0123456789abcdef\n", " 0123456789abcdef", "0123456789\tabcdef"]
)
def test_an_admins_key_that_no_header_carries_is_refused(value: str) -> None:
    with pytest.raises(WrongSetting, match="MAFRATE_ADMIN_KEY: expected at least 16 printable ASCII characters"):
        Settings.from_environ({"MAFRATE_ADMIN_KEY": value})


@pytest.mark.parametrize("name", ["CORS_ORIGINS", "TRUSTED_PROXIES", "CACHE_URL", "STANDINGS_AT_ONCE"])
def test_what_cannot_be_used_is_refused(name: str) -> None:
    with pytest.raises(WrongSetting, match=f"MAFRATE_{name}"):
        Settings.from_environ({f"MAFRATE_{name}": "nonsense"})


def test_settings_do_not_show_what_is_secret() -> None:
    secrets = {
        "MAFRATE_ADMIN_KEY": "hunter2hunter2hunter2",
        "MAFRATE_DATABASE_URL": "postgresql://me:hunter2@localhost/mafrate",
        "MAFRATE_CACHE_URL": "redis://:hunter2@localhost",
    }
    assert "hunter2" not in repr(Settings.from_environ(secrets))


def test_the_service_does_not_start_with_a_wrong_setting() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app"],
        cwd=Path(__file__).parents[1],
        env={"MAFRATE_PORT": "many"},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "MAFRATE_PORT: expected a port, 0 to 65535.\n"
