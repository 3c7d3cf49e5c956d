"""Places of a process, of which no club has more than its share."""

from contextlib import ExitStack

import pytest

from app.web.club_slots import ClubSlots
from app.web.concurrency import Saturated


def test_a_club_has_its_share_and_leaves_the_rest_to_others() -> None:
    slots = ClubSlots(4, share=2)
    with ExitStack() as held:
        for _ in range(2):
            held.enter_context(slots.of("moscow"))
        with pytest.raises(Saturated) as refused, slots.of("moscow"):
            pass
        assert refused.value.seconds >= 1
        for _ in range(2):
            held.enter_context(slots.of("kyiv"))
        with pytest.raises(Saturated), slots.of("tula"):
            pass
    assert slots.free == 4
    with ExitStack() as held:
        for _ in range(2):
            held.enter_context(slots.of("moscow"))


def test_a_place_is_given_back_when_the_work_fails_and_no_slug_is_remembered() -> None:
    slots = ClubSlots(1, share=1)
    for number in range(100):
        with pytest.raises(KeyError), slots.of(f"club-{number}"):
            raise KeyError
    assert slots.free == 1
    assert len(slots._taken) == 0
