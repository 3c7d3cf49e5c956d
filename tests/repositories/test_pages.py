import re
from base64 import urlsafe_b64encode
from datetime import date

import pytest

from app.repositories.database.ids import new_id
from app.repositories.database.pages import NotACursor, after_day_and_row, after_row, page_of


def cursor(written: str) -> str:
    return urlsafe_b64encode(written.encode()).decode().rstrip("=")


def test_a_cursor_says_after_which_row_to_go_on() -> None:
    first = page_of([1, 2, 3], 2, lambda row: (row,))
    assert first.items == [1, 2]
    assert first.next_cursor
    assert after_row(first.next_cursor) == 2
    assert page_of([3], 2, lambda row: (row,)).next_cursor is None


def test_a_cursor_can_hold_a_day() -> None:
    page = page_of(["a", "b"], 1, lambda _: ("2025-03-14", 7))
    assert page.next_cursor
    assert after_day_and_row(page.next_cursor) == (date(2025, 3, 14), 7)


@pytest.mark.parametrize(
    "forged",
    [
        "", "x", "%00", "é", cursor("[]"), cursor("[true]"), cursor("[1,2]"), cursor('["1"]'), cursor("[-1]"),
        cursor("[9223372036854775808]"), cursor("{}"), cursor("1"), cursor("[" * 100_000), cursor("[1e3]"),
        cursor('["2025-03-14",1]'),
    ],
)  # fmt: skip
def test_a_forged_cursor_is_no_cursor(forged: str) -> None:
    with pytest.raises(NotACursor):
        after_row(forged)


@pytest.mark.parametrize("forged", ["[1]", '["2025-02-30",1]', '["",1]', '["2025-03-14","1"]', '[1,"2025-03-14"]'])
def test_a_forged_cursor_with_a_day_is_no_cursor(forged: str) -> None:
    with pytest.raises(NotACursor):
        after_day_and_row(cursor(forged))


def test_ids_are_short_differ_and_sort_by_when_they_were_made() -> None:
    ids = [new_id("g") for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert all(re.fullmatch(r"g_[0-9a-hjkmnp-tv-z]{18}", one) for one in ids)
    moments = [one[2:11] for one in ids]
    assert moments == sorted(moments)
