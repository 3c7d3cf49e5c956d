"""``If-Match`` on settings: of clubs, seasons, players, keys and entries (docs/api.md#etag-and-if-match)."""

import pytest
from httpx import Response

from tests.http.club import SEASON, Club
from tests.http.conftest import RED_WON

pytestmark = pytest.mark.anyio

SPRING = "/seasons/spring"
OTHER_TAGS = ['"0123456789abcdef.0123456789abcdef0123456789abcdef"', '"*"', "W/{etag}", "nonsense", ""]
CHANGES = {"": {"name": "Renamed"}, SPRING: {"name": "Renamed"}, "player": {"nickname": "Renamed"}}


async def ask(club: Club, method: str, path: str, body: object = None, match: str | None = None) -> Response:
    return await club.ask("president", method, path, body, None if match is None else {"if-match": match})


def tag(answer: Response) -> str:
    assert answer.is_success, answer.text
    return answer.headers["etag"]


def failed(answer: Response) -> bool:
    return answer.status_code == 412 and bool(answer.json()["type"] == "/problems/precondition-failed")


@pytest.fixture
async def player(club: Club) -> str:
    """The path of a player of the club, which has a season, too."""
    assert (await ask(club, "POST", "/seasons", SEASON)).status_code == 201
    made = await ask(club, "POST", "/players", {"nickname": "Ann"})
    return f"/players/{made.json()['id']}"


@pytest.mark.parametrize("what", CHANGES)
async def test_the_second_of_two_presidents_is_told_that_the_first_changed_it(
    club: Club, player: str, what: str
) -> None:
    path = player if what == "player" else what
    read = tag(await ask(club, "GET", path))
    first = await ask(club, "PATCH", path, CHANGES[what], read)
    assert tag(first) == tag(await ask(club, "GET", path)) != read
    assert failed(await ask(club, "PATCH", path, {next(iter(CHANGES[what])): "Again"}, read))
    assert (await ask(club, "GET", path)).json() == first.json()
    second = await ask(club, "PATCH", path, {next(iter(CHANGES[what])): "Again"}, tag(first))
    assert second.json() != first.json()


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("other", OTHER_TAGS)
async def test_no_other_tag_will_do(club: Club, player: str, what: str, other: str) -> None:
    path = player if what == "player" else what
    before = await ask(club, "GET", path)
    assert failed(await ask(club, "PATCH", path, CHANGES[what], other.format(etag=tag(before))))
    assert (await ask(club, "GET", path)).json() == before.json()


@pytest.mark.parametrize("what", CHANGES)
async def test_the_header_is_optional_takes_lists_and_the_wildcard(club: Club, player: str, what: str) -> None:
    path = player if what == "player" else what
    (name,) = CHANGES[what]
    for value, match in (("A", None), ("B", "*"), ("C", '"else", {etag}')):
        current = tag(await ask(club, "GET", path))
        sent = None if match is None else match.format(etag=current)
        assert (await ask(club, "PATCH", path, {name: value}, sent)).json()[name] == value


async def test_a_game_does_not_spoil_the_tag_of_a_season(club: Club, player: str) -> None:
    read = tag(await ask(club, "GET", SPRING))
    game = await ask(club, "POST", f"{SPRING}/games?create_players=true", {**RED_WON, "played_on": "2025-03-14"})
    assert game.status_code == 201
    assert tag(await ask(club, "GET", SPRING)) != read  # the revision is in the answer
    preview = await ask(club, "PATCH", f"{SPRING}?dry_run=true", {"name": "A"}, read)
    assert preview.status_code == 200
    changed = await ask(club, "PATCH", SPRING, {"name": "A"}, read)
    assert changed.status_code == 200
    assert failed(await ask(club, "PATCH", f"{SPRING}?dry_run=true", {"name": "B"}, read))


async def test_the_tag_of_a_player_in_games_is_of_his_settings(club: Club, player: str) -> None:
    read = tag(await ask(club, "GET", player))
    seats = [{**RED_WON["seats"][0], "player": "Ann"}, *RED_WON["seats"][1:]]
    game = {**RED_WON, "seats": seats, "played_on": "2025-03-14"}
    assert (await ask(club, "POST", f"{SPRING}/games?create_players=true", game)).status_code == 201
    assert (await ask(club, "PATCH", player, {"registered": False}, read)).status_code == 200
    assert failed(await ask(club, "PATCH", player, {"registered": True}, read))


async def test_what_was_made_has_the_tag_that_it_is_read_with(club: Club) -> None:
    season = tag(await ask(club, "POST", "/seasons", SEASON))
    assert season == tag(await ask(club, "GET", SPRING))
    closed = await ask(club, "POST", f"{SPRING}/close")
    assert tag(closed) == tag(await ask(club, "GET", SPRING))
    player = await ask(club, "POST", "/players", {"nickname": "Ann"})
    assert tag(player) == tag(await ask(club, "GET", f"/players/{player.json()['id']}"))


async def test_a_key_is_revoked_under_the_tag_it_was_made_with(club: Club) -> None:
    made = await ask(club, "POST", "/keys", {"role": "reader", "name": "TV"})
    path = f"/keys/{made.json()['id']}"
    assert failed(await ask(club, "DELETE", path, match='"another"'))
    assert (await ask(club, "DELETE", path, match=tag(made))).status_code == 204


async def test_an_entry_is_withdrawn_under_its_own_tag(club: Club, player: str) -> None:
    made = await ask(club, "POST", f"{SPRING}/entries", {"player": player.removeprefix("/players/")})
    path = made.headers["location"].removeprefix(f"/v1/clubs/{club.slug}")
    assert (await ask(club, "DELETE", path)).status_code == 204
    again = await ask(club, "POST", f"{SPRING}/entries", {"player": player.removeprefix("/players/")})
    assert failed(await ask(club, "DELETE", path, match=tag(made)))
    assert (await ask(club, "DELETE", path, match=tag(again))).status_code == 204
