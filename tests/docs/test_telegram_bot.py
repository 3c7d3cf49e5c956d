"""The bot of the documentation, run as it stands: its API and the season that it announces are played by this test."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import httpx

from app.services.clubs.webhooks.signature import new_secret, signed
from tests.docs.pages import ROOT
from tests.test_main import free_port

TOKEN = "1:secret"
SEASON = "/v1/clubs/moscow/seasons/spring"
TABLE = json.loads((ROOT / "openapi" / "answers.json").read_text("utf-8"))["KeptStandings"]
BOT = {"id": 1, "is_bot": True, "first_name": "Bot", "username": "club_bot"}


class Played(BaseHTTPRequestHandler):
    """Telegram and the service."""

    said: list[dict[str, list[str]]]

    def do_GET(self) -> None:
        assert self.path == f"{SEASON}/standings"
        self.answer(TABLE)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        method = self.path.removeprefix(f"/bot{TOKEN}/")
        if method == "sendMessage":
            self.said.append(parse_qs(body))
            chat = {"id": -1, "type": "channel", "title": "Club"}
            self.answer({"ok": True, "result": {"message_id": 1, "date": 0, "chat": chat}})
        else:
            assert method == "getMe"
            self.answer({"ok": True, "result": BOT})

    def answer(self, value: Any) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def played() -> Iterator[tuple[str, list[dict[str, list[str]]]]]:
    """The address of both, and what the bot has said."""
    said: list[dict[str, list[str]]] = []
    handler = type("Playing", (Played,), {"said": said})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", said
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def bot(address: str, secret: str) -> Iterator[str]:
    """Where the bot listens."""
    port = free_port()
    told = {
        "SEASON": address + SEASON,
        "WEBHOOK_SECRET": secret,
        "BOT_TOKEN": TOKEN,
        "CHAT": "@club",
        "TELEGRAM_API": f"{address}/bot",
    }
    command = [sys.executable, "-m", "docs.examples.telegram_bot", str(port)]
    with subprocess.Popen(command, cwd=ROOT, env=os.environ | told) as process:
        try:
            yield f"http://127.0.0.1:{port}/"
        finally:
            process.kill()


def post(url: str, secret: str) -> int:
    """Tell the bot of a game as the service does; the status that it answers."""
    body = b'{"type":"game.counted"}'
    headers = signed("e_1", body, [secret], datetime.now(UTC))
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with suppress(httpx.ConnectError):
            return httpx.post(url, content=body, headers=headers, timeout=30).status_code
        time.sleep(0.02)
    raise AssertionError("the bot does not listen")


def test_the_bot_announces_the_table_of_who_signs_and_of_nobody_else() -> None:
    secret = new_secret()
    with played() as (address, said), bot(address, secret) as url:
        assert post(url, new_secret()) == 401
        assert said == []
        assert post(url, secret) == 204
    (message,) = said
    assert message["chat_id"] == ["@club"]
    first, leader, *_ = message["text"][0].splitlines()
    assert first == f"Сыграно игр: {TABLE['games']}"
    published = [row for row in TABLE["rows"] if row["rank"] == 1]
    assert leader == f"1. {published[0]['player']['nickname']} — {published[0]['values'][TABLE['order']]}"
