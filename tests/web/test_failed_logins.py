"""Failed attempts are counted by where they come from."""

import pytest

from app.web.failed_logins import FAILURES_A_MINUTE, FailedLogins


def exhaust(attempts: FailedLogins, *addresses: str) -> None:
    for turn in range(FAILURES_A_MINUTE):
        assert attempts.note(addresses[turn % len(addresses)]) is None


def test_one_too_many_is_told_to_wait_for_the_rest_of_the_minute() -> None:
    attempts = FailedLogins()
    exhaust(attempts, "192.0.2.1")
    wait = attempts.note("192.0.2.1")
    assert wait is not None
    assert 1 <= wait <= 60


@pytest.mark.parametrize(
    "one, other",
    [
        ("2001:db8::1", "2001:db8::ffff:2"),  # the same /64: one subscriber
        ("192.0.2.1", "::ffff:192.0.2.1"),
        ("fe80::1%eth0", "fe80::2%eth1"),
    ],
)
def test_addresses_of_one_origin_count_together(one: str, other: str) -> None:
    attempts = FailedLogins()
    exhaust(attempts, one, other)
    assert attempts.note(one) is not None
    assert attempts.note(other) is not None


@pytest.mark.parametrize(
    "one, other",
    [("192.0.2.1", "192.0.2.2"), ("2001:db8::1", "2001:db8:0:1::1"), ("", "192.0.2.1"), ("proxy", "other")],
)
def test_addresses_of_two_origins_count_apart(one: str, other: str) -> None:
    attempts = FailedLogins()
    exhaust(attempts, one)
    assert attempts.note(one) is not None
    assert attempts.note(other) is None
