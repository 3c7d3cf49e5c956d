"""What waits for the president or a chief judge, and deciding it (docs/api.md#games-of-a-season)."""

from copy import deepcopy
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient, Response

from app.repositories import journal
from app.repositories.games import approvals, games
from app.repositories.seasons import seasons
from tests.http.club import bearer
from tests.http.games.test_correcting import bonused, states
from tests.http.games.test_submitting import ON, entered
from tests.http.kept_season import KeptSeason, make_season, problem, read

pytestmark = pytest.mark.anyio


@pytest.fixture
def red(game: dict[str, Any]) -> dict[str, Any]:
    """Red won on 14 March: two points for seats 1 to 7."""
    return {**game, **ON}


@pytest.fixture
def percent(kept_app: FastAPI, kept_client: AsyncClient) -> KeptSeason:
    """A season of which the chief judge decides: from 0.7 on."""
    return make_season(kept_app.state.database, kept_client, system="sport-percent")


async def decide(
    season: KeptSeason, kept: dict[str, Any], decision: str, role: str = "president", /, **more: Any
) -> Response:
    """Decide a game that was answered before; ``tag`` replaces its ETag, None sends none."""
    tag = more.pop("tag", kept["etag"])
    headers = {} if tag is None else {"if-match": tag}
    return await season.ask(role, "POST", f"/{kept['id']}/approval", {"decision": decision, **more}, headers)


async def queue(season: KeptSeason, role: str = "president", query: str = "", language: str = "en") -> dict[str, Any]:
    secret = bearer(season.secrets[role])
    path = season.path.replace("/games", "/approvals") + query
    return read(await season.client.get(path, headers={**secret, "accept-language": language}))


async def table(season: KeptSeason) -> dict[str, object]:
    """Everybody's points in the season's table."""
    rows = read(await season.client.get(season.path.replace("/games", "/standings")))["rows"]
    return {row["player"]["nickname"]: row["values"]["points"] for row in rows}


def fined(red: dict[str, Any], seat: int = 8) -> dict[str, Any]:
    """Red won, so a black may be fined at the judge's discretion."""
    game = deepcopy(red)
    game["seats"][seat - 1]["penalties"] = ["discretionary"]
    return game


async def test_the_queue_shows_the_case_and_what_a_key_may_decide(spring: KeptSeason, red: dict[str, Any]) -> None:
    red["seats"][3]["bonus_note"] = "found all three"
    kept = await spring.kept(bonused(red, s4=0.6, s1=0.2))
    page = await queue(spring)
    assert page["next_cursor"] is None
    (case,) = page["items"]
    assert list(case) == ["season", "game", "waiting", "clauses", "who", "at"]
    assert case["game"] == kept
    assert case["waiting"] == [
        {
            "clause": "4",
            "seat": 4,
            "player": {"id": kept["game"]["seats"][3]["player_id"], "nickname": "P4"},
            "points": Decimal("0.6"),
            "by": "president",
            "may_decide": True,
        }
    ]
    (clause,) = case["clauses"]
    assert clause["number"] == "4"
    assert "president" in clause["text"]
    assert case["who"] == {"role": "judge", "key": {"id": spring.ids["judge"], "name": "a judge"}}
    assert datetime.fromisoformat(case["at"]) <= datetime.now(UTC)
    assert (await decide(spring, case["game"], "approve")).status_code == 200
    assert (await queue(spring))["items"] == []


async def test_the_words_of_a_case_follow_the_language(spring: KeptSeason, red: dict[str, Any]) -> None:
    await spring.kept(fined(bonused(red, s4=0.6)))
    (case,) = (await queue(spring, language="ru"))["items"]
    assert [clause["number"] for clause in case["clauses"]] == ["4", "5"]
    assert case["clauses"][0]["text"].startswith("По окончании игры Ведущий")
    assert [(one["clause"], one["seat"], one["points"]) for one in case["waiting"]] == [
        ("4", 4, Decimal("0.6")),
        ("5", 8, -1),
    ]


@pytest.mark.parametrize("role", ["reader", "judge", "chief_judge", "president"])
@pytest.mark.parametrize("system", ["maffamily", "sport-percent"])
async def test_every_key_of_the_club_reads_the_queue_and_learns_what_it_may_decide(
    kept_app: FastAPI, kept_client: AsyncClient, red: dict[str, Any], role: str, system: str
) -> None:
    season = make_season(kept_app.state.database, kept_client, system=system, public=False)
    await season.kept(bonused(red, s1=0.7), "judge")
    (case,) = (await queue(season, role))["items"]
    expected = role == "president" or (role == "chief_judge" and system == "sport-percent")
    assert [one["may_decide"] for one in case["waiting"]] == [expected]


async def test_the_queue_is_its_clubs_own(spring: KeptSeason, kept_app: FastAPI, red: dict[str, Any]) -> None:
    await spring.kept(bonused(red, s1=0.6))
    path = spring.path.replace("/games", "/approvals")
    assert problem(await spring.client.get(path))[:2] == (401, "unauthorized")
    stranger = make_season(kept_app.state.database, spring.client, club="kyiv").secrets["president"]
    assert problem(await spring.client.get(path, headers=bearer(stranger)))[:2] == (404, "not-found")
    hidden = make_season(kept_app.state.database, spring.client, club="tver", public=False)
    for headers in ({}, bearer(stranger)):
        answer = await spring.client.get(hidden.path.replace("/games", "/approvals"), headers=headers)
        assert problem(answer)[:2] == (404, "not-found")


async def test_the_queue_comes_in_pages_and_holds_only_what_waits(spring: KeptSeason, red: dict[str, Any]) -> None:
    waiting = [(await spring.kept({**bonused(red, s1=0.6), "external_id": f"{number}"}))["id"] for number in range(5)]
    await spring.kept(red | {"external_id": "red"})
    await spring.kept(bonused(red, s1=0.6) | {"external_id": "approved"}, "president")
    seen, query = [], "?limit=2"
    while True:
        page = await queue(spring, query=query)
        seen.append([case["game"]["id"] for case in page["items"]])
        if page["next_cursor"] is None:
            break
        query = f"?limit=2&cursor={page['next_cursor']}"
    assert seen == [waiting[:2], waiting[2:4], waiting[4:]]
    other = await spring.ask("president", "GET", "?limit=2")
    wrong = await spring.client.get(
        spring.path.replace("/games", "/approvals") + f"?cursor={other.json()['next_cursor']}",
        headers=bearer(spring.secrets["president"]),
    )
    assert wrong.status_code == 422


async def test_an_approved_game_counts_and_its_history_says_who_agreed(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept(bonused(red, s1=0.6))
    assert (kept["status"], kept["revision"], entered(spring), await table(spring)) == ("pending", 1, [], {})
    answer = await decide(spring, kept, "approve", note="earned")
    approved = read(answer)
    assert (approved["status"], approved["version"], approved["revision"]) == ("counted", 2, 2)
    assert answer.headers["etag"] == approved["etag"] != kept["etag"]
    assert approved["game"] == kept["game"]
    (approval,) = approved["breakdown"]["approvals"]
    assert datetime.fromisoformat(approval["at"]) <= datetime.now(UTC)
    assert {name: value for name, value in approval.items() if name != "at"} == {
        "clause": "4",
        "seat": 1,
        "by": "president",
        "state": "approved",
        "decided_by": spring.ids["president"],
        "note": "earned",
    }
    assert await spring.get(kept["id"]) == approved
    assert entered(spring)[0] == (1, 2_600_000)
    assert (await table(spring))["P1"] == Decimal("2.6")
    _, step = (await spring.get(kept["id"], path="/history"))["items"]
    assert (step["action"], step["status"], step["reason"], step["who"]["role"]) == (
        "approved", "counted", "earned", "president",
    )  # fmt: skip
    assert step["who"]["key"]["id"] == spring.ids["president"]
    assert [(one["seat"], one["difference"]) for one in step["changes"]][:2] == [(1, Decimal("2.6")), (2, 2)]
    with spring.database.read() as tx:
        season = seasons.find(tx, spring.club, spring.slug)
        assert season
        (change,) = journal.after(tx, season.id, 1, limit=9)
    assert (change.action, change.target, change.reason, change.revision) == (
        "game_approved", kept["id"], "earned", 2,
    )  # fmt: skip


async def test_a_rejected_game_stays_out_until_it_is_corrected(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept(bonused(red, s1=0.6))
    rejected = read(await decide(spring, kept, "reject", note="0.5 will do"))
    assert (rejected["status"], rejected["version"], rejected["revision"]) == ("rejected", 2, 2)
    (approval,) = rejected["breakdown"]["approvals"]
    assert (approval["state"], approval["note"]) == ("rejected", "0.5 will do")
    assert (entered(spring), (await queue(spring))["items"]) == ([], [])
    listed = read(await spring.ask("judge", "GET", "?status=rejected"))
    assert [item["id"] for item in listed["items"]] == [kept["id"]]
    still = read(await spring.correct(rejected, bonused({**red, "table": 2}, s1=0.6)))
    assert (still["status"], states(still)) == ("rejected", {1: "rejected"})
    again = read(await spring.correct(still, bonused(red, s1=0.65)))
    assert (again["status"], states(again)) == ("pending", {1: "pending"})
    mended = read(await spring.correct(again, bonused(red, s1=0.5)))
    assert (mended["status"], entered(spring)[0]) == ("counted", (1, 2_500_000))
    history = (await spring.get(kept["id"], path="/history"))["items"]
    assert [one["action"] for one in history] == ["submitted", "rejected", "corrected", "corrected", "corrected"]
    assert history[1]["reason"] == "0.5 will do"


async def test_the_public_learns_roles_and_no_notes(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept(bonused(red, s1=0.6))
    await decide(spring, kept, "reject", note="too much for a draw")
    for path in ("", "/history"):
        answer = await spring.ask("anonymous", "GET", f"/{kept['id']}{path}")
        assert "too much" not in answer.text
        assert spring.ids["president"] not in answer.text
    (approval,) = (await spring.get(kept["id"], "anonymous"))["breakdown"]["approvals"]
    assert (approval["state"], approval["decided_by"], approval["note"]) == ("rejected", "president", None)


@pytest.mark.parametrize(
    "system, role, status",
    [
        ("maffamily", "anonymous", 401),
        ("maffamily", "reader", 403),
        ("maffamily", "judge", 403),
        ("maffamily", "chief_judge", 403),
        ("maffamily", "president", 200),
        ("sport-percent", "judge", 403),
        ("sport-percent", "chief_judge", 200),
        ("sport-percent", "president", 200),
    ],
)
async def test_a_chief_judge_decides_what_the_rules_leave_to_him_and_a_president_whatever(
    kept_app: FastAPI, kept_client: AsyncClient, red: dict[str, Any], system: str, role: str, status: int
) -> None:
    season = make_season(kept_app.state.database, kept_client, system=system)
    kept = await season.kept(bonused(red, s1=0.7))
    assert kept["status"] == "pending"
    assert (await decide(season, kept, "approve", role)).status_code == status
    assert (await season.get(kept["id"]))["status"] == ("counted" if status == 200 else "pending")


async def test_who_may_decide_is_said_in_the_language_of_the_request(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept(bonused(red, s1=0.6))
    for role, language, detail in (
        ("chief_judge", "ru", "Согласовать может: президент; у этого ключа — главный судья."),
        ("chief_judge", "en", "Approvals of this game are decided by: president. The key's role is chief_judge."),
        ("judge", "ru", "Нужны права: главный судья, президент; у этого ключа — судья."),
    ):
        headers = {"if-match": kept["etag"], "accept-language": language}
        refused = await spring.ask(role, "POST", f"/{kept['id']}/approval", {"decision": "approve"}, headers)
        assert (refused.status_code, refused.json()["detail"]) == (403, detail)


async def test_an_approval_of_a_chief_judge_names_him(percent: KeptSeason, red: dict[str, Any]) -> None:
    kept = await percent.kept(bonused(red, s1=0.8, s2=0.8))
    assert states(kept) == {1: "pending", 2: "pending"}
    approved = read(await decide(percent, kept, "approve", "chief_judge"))
    assert (approved["status"], states(approved)) == ("counted", {1: "approved", 2: "approved"})
    assert {one["decided_by"] for one in approved["breakdown"]["approvals"]} == {percent.ids["chief_judge"]}


@pytest.mark.parametrize(
    "tag, status",
    [(None, 428), ('"{id}-1"', 200), ('"{id}-1.0123456789abcdef"', 200), ("*", 200), ('"{id}-2"', 412), ("", 412)],
)
async def test_nobody_decides_what_he_did_not_see(
    spring: KeptSeason, red: dict[str, Any], tag: str | None, status: int
) -> None:
    kept = await spring.kept(bonused(red, s1=0.6))
    answer = await decide(spring, kept, "approve", tag=tag and tag.replace("{id}", kept["id"]))
    assert answer.status_code == status
    if status != 200:
        assert problem(answer)[1] == ("precondition-required" if status == 428 else "precondition-failed")
        assert states(await spring.get(kept["id"])) == {1: "pending"}


async def test_a_game_that_was_corrected_meanwhile_is_not_decided(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept(bonused(red, s1=0.6))
    corrected = read(await spring.correct(kept, bonused(red, s1=0.7)))
    assert problem(await decide(spring, kept, "approve"))[:2] == (412, "precondition-failed")
    assert states(await spring.get(kept["id"])) == {1: "pending"}
    assert (await decide(spring, corrected, "approve")).status_code == 200
    # Nor is it decided twice.
    assert problem(await decide(spring, corrected, "reject", note="no"))[:2] == (412, "precondition-failed")


async def test_what_does_not_wait_is_not_decided(spring: KeptSeason, red: dict[str, Any]) -> None:
    counted = await spring.kept(red)
    approved = await spring.kept(bonused(red, s1=0.6) | {"external_id": "a"}, "president")
    pending = await spring.kept(bonused(red, s1=0.6) | {"external_id": "b"})
    rejected = read(await decide(spring, pending, "reject", note="no"))
    voided = await spring.kept(bonused(red, s1=0.6) | {"external_id": "c"})
    voided = read(await spring.ask("judge", "DELETE", f"/{voided['id']}"))
    for kept in (counted, approved, rejected, voided):
        for decision in ("approve", "reject"):
            answer = await decide(spring, kept, decision, note="why")
            assert problem(answer) == (409, "conflict", "not_pending"), kept["status"]
        assert (await spring.get(kept["id"]))["version"] == kept["version"]


@pytest.mark.unsound
async def test_a_game_stays_pending_until_everyone_who_is_asked_agreed(
    percent: KeptSeason, red: dict[str, Any]
) -> None:
    kept = await percent.kept(bonused(red, s1=0.8, s2=0.8))
    with percent.database.write() as tx:  # no built-in regulation asks two
        season = seasons.find_locked(tx, percent.club, percent.slug)
        assert season
        game = games.find(tx, season.id, kept["id"])
        assert game
        one, other = approvals.of_games(tx, [game.id])[game.id]
        approvals.replace(tx, game.id, [one, other._replace(decider="president")])
    partly = read(await decide(percent, kept, "approve", "chief_judge"))
    assert (partly["status"], states(partly), partly["version"]) == ("pending", {1: "approved", 2: "pending"}, 2)
    assert entered(percent) == []
    assert [one["seat"] for one in (await queue(percent))["items"][0]["waiting"]] == [2]
    # The chief judge has a say in this game and has had it.
    assert problem(await decide(percent, partly, "approve", "chief_judge")) == (409, "conflict", "not_pending")
    whole = read(await decide(percent, partly, "approve", "president"))
    assert (whole["status"], states(whole)) == ("counted", {1: "approved", 2: "approved"})
    history = (await percent.get(kept["id"], path="/history"))["items"]
    assert [(one["action"], one["status"]) for one in history] == [
        ("submitted", "pending"),
        ("approved", "pending"),
        ("approved", "counted"),
    ]


@pytest.mark.parametrize("which", [{"seat": 8}, {"clause": "5"}, {"clause": "5", "seat": 8}])
async def test_one_of_several_can_be_rejected_and_the_rest_waits_on(
    spring: KeptSeason, red: dict[str, Any], which: dict[str, object]
) -> None:
    kept = await spring.kept(fined(bonused(red, s1=0.6)))
    rejected = read(await decide(spring, kept, "reject", note="no fine", **which))
    assert (rejected["status"], states(rejected)) == ("rejected", {1: "pending", 8: "rejected"})
    mended = read(await spring.correct(rejected, bonused(red, s1=0.6)))
    assert (mended["status"], states(mended)) == ("pending", {1: "pending"})
    assert read(await decide(spring, mended, "approve"))["status"] == "counted"


@pytest.mark.parametrize("which", [{"seat": 2}, {"clause": "5"}, {"clause": "4", "seat": 8}])
async def test_where_nothing_waits_there_is_nothing_to_decide(
    spring: KeptSeason, red: dict[str, Any], which: dict[str, object]
) -> None:
    kept = await spring.kept(bonused(red, s1=0.6))
    assert problem(await decide(spring, kept, "approve", **which)) == (409, "conflict", "not_pending")


@pytest.mark.parametrize(
    "body, fault",
    [
        ({}, ("missing", "/decision")),
        ({"decision": "accept"}, ("value", "/decision")),
        ({"decision": True}, ("type", "/decision")),
        ({"decision": "reject"}, ("missing", "/note")),
        ({"decision": "reject", "note": None}, ("missing", "/note")),
        ({"decision": "reject", "note": "  "}, ("missing", "/note")),
        ({"decision": "approve", "note": "x" * 501}, ("too_long", "/note")),
        ({"decision": "approve", "note": "a\u0000b"}, ("value", "/note")),
        ({"decision": "approve", "note": 7}, ("type", "/note")),
        ({"decision": "approve", "seat": "1"}, ("type", "/seat")),
        ({"decision": "approve", "clause": 4}, ("type", "/clause")),
        ({"decision": "approve", "reason": "x"}, ("unknown_field", "/reason")),
    ],
)
async def test_what_is_wrong_with_a_decision_is_named(
    spring: KeptSeason, red: dict[str, Any], body: dict[str, object], fault: tuple[str, str]
) -> None:
    kept = await spring.kept(bonused(red, s1=0.6))
    answer = await spring.ask("president", "POST", f"/{kept['id']}/approval", body, {"if-match": kept["etag"]})
    assert problem(answer)[:2] == (422, "invalid-request")
    assert [(found["code"], found["pointer"]) for found in answer.json()["violations"]] == [fault]
    assert states(await spring.get(kept["id"])) == {1: "pending"}


async def test_whoever_rejected_may_change_his_mind_by_submitting_the_game_himself(
    spring: KeptSeason, red: dict[str, Any]
) -> None:
    kept = await spring.kept(bonused(red, s1=0.6))
    rejected = read(await decide(spring, kept, "reject", note="too much"))
    corrected = read(await spring.correct(rejected, bonused(red, s1=0.6), "president"))
    assert (corrected["status"], states(corrected)) == ("counted", {1: "approved"})
    assert corrected["breakdown"]["approvals"][0]["note"] is None


async def test_a_correction_keeps_what_was_approved_and_still_stands(percent: KeptSeason, red: dict[str, Any]) -> None:
    kept = await percent.kept(bonused(red, s1=0.7, s2=0.8))
    approved = read(await decide(percent, kept, "approve", "chief_judge", seat=1))
    assert states(approved) == {1: "approved", 2: "pending"}
    corrected = read(await percent.correct(approved, bonused({**red, "table": 3}, s1=0.7, s2=0.5)))
    assert (corrected["status"], states(corrected)) == ("counted", {1: "approved"})
    assert corrected["breakdown"]["approvals"][0]["decided_by"] == percent.ids["chief_judge"]


async def test_a_decision_sent_twice_is_made_once(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept(bonused(red, s1=0.6))
    headers = {"if-match": kept["etag"], "idempotency-key": "once"}
    path, body = f"/{kept['id']}/approval", {"decision": "approve"}
    first = await spring.ask("president", "POST", path, body, headers)
    again = await spring.ask("president", "POST", path, body, headers)
    assert (first.status_code, again.status_code, again.content) == (200, 200, first.content)
    assert again.headers["idempotency-replayed"] == "true"
    assert (await spring.get(kept["id"]))["version"] == 2


async def test_a_game_of_another_season_is_not_found(
    spring: KeptSeason, kept_app: FastAPI, red: dict[str, Any]
) -> None:
    kept = await make_season(kept_app.state.database, spring.client, club="kyiv").kept(bonused(red, s1=0.6))
    assert problem(await decide(spring, kept, "approve"))[:2] == (404, "not-found")


@pytest.mark.unsound
async def test_nothing_is_decided_in_a_closed_season(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept(bonused(red, s1=0.6))
    with spring.database.write() as tx:
        season = seasons.find_locked(tx, spring.club, spring.slug)
        assert season
        seasons.close(tx, season.id, revision=season.revision, tables="{}", at=datetime.now(UTC))
    assert problem(await decide(spring, kept, "approve")) == (409, "conflict", "season_closed")
