import threading
import time

from app.repositories.database.turns import Turns


def wait_in_line(turns: Turns, name: str, served: list[str], done: threading.Event) -> threading.Thread:
    """A thread that waits for its turn and keeps it until ``done``; returns once it stands in line."""

    def take_it() -> None:
        assert turns.take(10)
        served.append(name)
        assert done.wait(10)
        turns.give_back()

    standing = len(turns._waiting)
    thread = threading.Thread(target=take_it)
    thread.start()
    while len(turns._waiting) == standing:
        time.sleep(0.001)
    return thread


def test_turns_are_served_in_the_order_of_arrival() -> None:
    turns = Turns(1)
    served: list[str] = []
    done = threading.Event()
    assert turns.take(0)
    threads = [wait_in_line(turns, name, served, done) for name in ("first", "second", "third")]
    turns.give_back()
    assert not turns.take(0)  # whoever has just been served does not overtake
    done.set()
    for thread in threads:
        thread.join(10)
    assert served == ["first", "second", "third"]
    assert turns.take(0)


def test_as_many_turns_are_had_at_once_as_there_are() -> None:
    turns = Turns(2)
    assert turns.take(0)
    assert turns.take(0)
    assert not turns.take(0.01)
    turns.give_back()
    assert turns.take(0)


def test_who_gave_up_is_not_called() -> None:
    turns = Turns(1)
    assert turns.take(0)
    assert not turns.take(0.01)
    turns.give_back()
    assert turns.take(0)
