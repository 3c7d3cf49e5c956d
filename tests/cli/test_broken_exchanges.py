"""What the command says when whatever is at the other end, of a connection or of a pipe, does not do its part."""

import array
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.cli.running import ROOT, free_port, run
from tests.http.conftest import RED_WON

LINE = b'{"line":1,"external_id":null,"result":"created","id":"g","violations":[]}\n'
PROBLEM = b"application/problem+json"


def answer(body: bytes, *, status: bytes = b"200 OK", kind: bytes = b"application/x-ndjson", more: int = 0) -> bytes:
    """An answer that promises ``more`` bytes than it has."""
    head = b"HTTP/1.1 %b\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n" % (status, kind, len(body) + more)
    return head + body


def in_chunks(body: bytes) -> bytes:
    """An answer that ends before it says so."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"%x\r\n%b\r\n" % (len(body), body)


WRONG = {
    "a page": answer(b"<html>hi</html>", kind=b"text/html"),
    "a failing proxy": answer(b"<html>hi</html>", kind=b"text/html", status=b"502 Bad Gateway"),
    "other JSON": answer(b"[]", kind=b"application/json"),
    "elsewhere": b"HTTP/1.1 302 Found\r\nLocation: https://x/\r\nContent-Length: 0\r\n\r\n",
    "nothing to say": b"HTTP/1.1 204 No Content\r\n\r\n",
    "no HTTP": b"SSH-2.0-OpenSSH\r\n",
    "not a word": b"",
    "a problem without words": answer(b"{}", kind=PROBLEM, status=b"422 X"),
    "a problem that is a list": answer(b"[]", kind=PROBLEM, status=b"422 X"),
    "a problem that is text": answer(b"oh", kind=PROBLEM, status=b"500 X"),
}
BROKEN_OFF = {
    "after a line": answer(LINE, more=10),
    "in a line": answer(LINE + b'{"line":2,', more=100),
    "in chunks": in_chunks(LINE),
    "in a problem": answer(b'{"title":', kind=PROBLEM, status=b"422 X", more=10),
}


@contextmanager
def other_end(said: bytes, *, reads: bool = True) -> Iterator[str]:
    """The address of somebody who says this to each request, having read it or not."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection, suppress(OSError):
                    connection.settimeout(0.2)
                    with suppress(TimeoutError):
                        while reads and connection.recv(65_536):
                            pass
                    connection.sendall(said)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(65_536):
                        pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            with suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
            listening.close()
            thread.join(10)


@pytest.fixture(autouse=True)
def _apart(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    environment.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    Path("games.ndjson").write_text(json.dumps(RED_WON) + "\n")
    Path("spring.zip").write_bytes(b"PK")


EXCHANGES = {
    "import": ("import", "games.ndjson", "--to", "moscow/spring"),
    "export": ("export", "moscow/spring"),
    "export to a file": ("export", "moscow/spring", "--output", "kept.ndjson"),
    "import an archive": ("import", "spring.zip", "--to", "moscow"),
    "export an archive": ("export", "moscow/spring", "--format", "zip", "--output", "kept.ndjson"),
}


@pytest.mark.parametrize("words", EXCHANGES.values(), ids=EXCHANGES)
@pytest.mark.parametrize("said", [*WRONG.values(), *BROKEN_OFF.values()], ids=[*WRONG, *BROKEN_OFF])
def test_whatever_answers_is_told_in_a_sentence_and_replaces_no_file(
    capsys: pytest.CaptureFixture[str], said: bytes, words: tuple[str, ...]
) -> None:
    Path("kept.ndjson").write_text("precious")
    with other_end(said) as url:
        done = run(capsys, *words, "--url", url)
    assert done.status == 2
    assert len(done.err.splitlines()) == 1, done.err
    assert "Traceback" not in done.err
    if words != EXCHANGES["export"] or said not in BROKEN_OFF.values():
        assert done.out == ""
    assert Path("kept.ndjson").read_text() == "precious"
    assert sorted(path.name for path in Path().iterdir()) == ["games.ndjson", "kept.ndjson", "spring.zip"]


@pytest.mark.parametrize("line", [b"[]", b'{"a": 1}', b"oh", b'{"summary": {"a": 1}}'])
def test_an_answer_to_something_else_is_told(capsys: pytest.CaptureFixture[str], line: bytes) -> None:
    with other_end(answer(line + b"\n")) as url:
        done = run(capsys, *EXCHANGES["import"], "--url", url)
    assert done == (2, "", "Unexpected response to an import. Check the address.\n")


@pytest.mark.parametrize("said", BROKEN_OFF.values(), ids=BROKEN_OFF)
def test_an_import_that_breaks_off_says_that_it_may_be_sent_again(
    capsys: pytest.CaptureFixture[str], said: bytes
) -> None:
    with other_end(said) as url:
        done = run(capsys, *EXCHANGES["import"], "--url", url)
    assert done.err.endswith("It is safe to send the file again.\n")


JSON = b"application/json"


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"season": 1}', b'{"season": {"slug": "a"}, "games": "many"}', b"oh"])
def test_an_answer_to_something_else_than_an_archive_is_told(capsys: pytest.CaptureFixture[str], body: bytes) -> None:
    with other_end(answer(body, kind=JSON)) as url:
        done = run(capsys, *EXCHANGES["import an archive"], "--url", url)
    assert done == (2, "", "Unexpected response to an archive import. Check the address.\n")


@pytest.mark.parametrize(
    "said", [b"", answer(b'{"season":', kind=JSON, more=9), in_chunks(b"{").replace(b"x-ndjson", b"json")]
)
def test_an_archive_whose_answer_breaks_off_says_what_may_have_become_of_it(
    capsys: pytest.CaptureFixture[str], said: bytes
) -> None:
    with other_end(said) as url:
        done = run(capsys, *EXCHANGES["import an archive"], "--url", url)
    assert (done.status, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert done.err.endswith("Either everything or nothing was stored. It is safe to send the file again.\n")


def test_a_refusal_of_a_file_that_is_not_read_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """The answer comes at once, and nobody takes in the file, which is more than any buffer between holds."""
    problem = b'{"title":"No","detail":"not today","violations":[{"pointer":"","message":"too late"}]}'
    with Path("large.ndjson").open("wb") as file:
        file.truncate(50_000_000)
    with other_end(answer(problem, kind=PROBLEM, status=b"409 Conflict"), reads=False) as url:
        done = run(capsys, "import", "large.ndjson", "--to", "moscow/spring", "--url", url)
    assert (done.status, done.err) == (2, "No: not today\n  large.ndjson: too late\n")


def test_a_refusal_is_shown_before_the_rest_of_the_file_is_sent(capsys: pytest.CaptureFixture[str]) -> None:
    """The other end answers at once and then reads nothing at all, while it holds the connection."""
    problem = b'{"title":"No","detail":"not today","violations":[]}'
    with Path("large.ndjson").open("wb") as file:
        file.truncate(50_000_000)
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def refuse() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1)
                connection.sendall(answer(problem, kind=PROBLEM, status=b"409 Conflict"))
                done.wait(60)

        thread = threading.Thread(target=refuse, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        refused = run(capsys, "import", "large.ndjson", "--to", "moscow/spring", "--url", url)
        in_time = thread.is_alive()
        done.set()
        thread.join(10)
    assert (refused.status, refused.err, in_time) == (2, "No: not today\n", True)


@pytest.mark.parametrize(
    "url",
    ["127.0.0.1:8000", "ftp://127.0.0.1", "http://", "http://[", "http://127.0.0.1:99999", "http://127.0.0.1:x", "/v1"],
)
def test_what_is_no_address_is_named(capsys: pytest.CaptureFixture[str], url: str) -> None:
    done = run(capsys, *EXCHANGES["import"], "--url", url)
    assert (done.status, done.err) == (2, f"expected an address such as http://127.0.0.1:8000, got {url}\n")


def test_refusals_are_in_the_users_language(
    capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch
) -> None:
    environment.setenv("LANG", "ru_RU.UTF-8")
    nowhere = f"http://127.0.0.1:{free_port()}"
    done = run(capsys, *EXCHANGES["export"], "--url", nowhere)
    assert (done.status, done.err.startswith(f"не удалось подключиться к {nowhere}: ")) == (2, True)
    with other_end(BROKEN_OFF["after a line"]) as url:
        done = run(capsys, *EXCHANGES["import"], "--url", url)
    assert done.err.endswith("Часть игр могла сохраниться. Отправьте файл ещё раз: дважды игры не сохранятся.\n")


def test_the_key_is_sent_and_nothing_of_the_address_takes_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def hear() -> None:
            connection, _ = listening.accept()
            with connection:
                heard.append(connection.recv(65_536))
                connection.sendall(answer(LINE))

        thread = threading.Thread(target=hear, daemon=True)
        thread.start()
        port = listening.getsockname()[1]
        url = f"http://somebody:secret@127.0.0.1:{port}/behind/?a=b"
        assert run(capsys, *EXCHANGES["export"], "--url", url, "--key", "mfr_1").status == 0
        thread.join(10)
    head = heard[0].lower().split(b"\r\n")
    assert head[0] == b"get /behind/v1/clubs/moscow/seasons/spring/games.ndjson http/1.1"
    assert b"authorization: bearer mfr_1" in head


@pytest.mark.parametrize("key", ["ключ", "mfr_1\nHost: elsewhere", "mfr_\x00"])
def test_what_is_no_key_is_not_sent_and_not_repeated(capsys: pytest.CaptureFixture[str], key: str) -> None:
    done = run(capsys, *EXCHANGES["export"], "--url", f"http://127.0.0.1:{free_port()}", "--key", key)
    assert (done.status, done.err.startswith("expected a key"), key in done.err) == (2, True, False)


def test_a_pipe_is_written_to_and_a_link_stays_a_link(capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("pipe.ndjson")
    taken: list[bytes] = []
    reader = threading.Thread(target=lambda: taken.append(Path("pipe.ndjson").read_bytes()))
    reader.start()
    Path("there.ndjson").write_text("old")
    Path("link.ndjson").symlink_to("there.ndjson")
    with other_end(answer(LINE)) as url:
        for name in ("pipe.ndjson", "link.ndjson"):
            assert run(capsys, "export", "moscow/spring", "--output", name, "--url", url).status == 0
    reader.join(10)
    assert taken == [LINE]
    assert Path("pipe.ndjson").is_fifo()
    assert (Path("link.ndjson").is_symlink(), Path("there.ndjson").read_bytes()) == (True, LINE)


def test_a_pipe_is_sent_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("pipe.ndjson")
    threading.Thread(target=lambda: Path("pipe.ndjson").write_bytes(b"x" * 200_000), daemon=True).start()
    summary = {"created": 0, "unchanged": 1, "conflict": 0, "invalid": 0, "applied": True}
    with other_end(answer(LINE + json.dumps({"summary": summary}).encode() + b"\n")) as url:
        done = run(capsys, "import", "pipe.ndjson", "--to", "moscow/spring", "--url", url, "--json")
    assert (done.status, json.loads(done.out)["summary"]) == (0, summary)


def command(*words: str, **streams: int) -> subprocess.Popen[bytes]:
    """The command as a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"}
    given: dict[str, int] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.Popen([sys.executable, "-m", "app", *words], env=environment, **given)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("words", [("standings", "games.ndjson"), ("score", "games.ndjson", "--json")], ids=" ".join)
def test_output_that_nobody_reads_is_no_crash(words: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = command(*words, stdout=writing)
    os.close(writing)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (2, b"The output was closed before it was complete.\n")


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no full device")
@pytest.mark.parametrize("words", [("score", "games.ndjson"), ("standings", "games.ndjson", "--json")], ids=" ".join)
def test_output_that_has_no_room_is_told(words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        process = command(*words, stdout=full.fileno())
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (2, b"No space left on device\n")


def test_nicknames_that_the_terminal_cannot_show_are_no_crash() -> None:
    game = json.loads(json.dumps(RED_WON))
    game["seats"][0]["player"] = "Ёж"
    Path("games.ndjson").write_text(json.dumps(game))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    for words in (["standings", "games.ndjson"], ["score", "games.ndjson", "--json"]):
        done = subprocess.run([sys.executable, "-m", "app", *words], env=environment, capture_output=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, b"")
        assert rb"\u0401\u0436" in done.stdout


@pytest.mark.parametrize(
    "words, said",
    [
        (("import", "-", "--format", "ndjson", "--to", "a/b"), b"It is safe to send the file again.\n"),
        (("standings", "-"), b"Stopped.\n"),
    ],
)
def test_ctrl_c_is_answered_with_a_sentence(words: tuple[str, ...], said: bytes) -> None:
    with other_end(b"") as url:
        where = ("--url", url) if words[0] == "import" else ()
        reading, writing = os.pipe()
        process = command(*words, *where, stdin=reading)
        os.close(reading)
        os.write(writing, b"\n" * 65_536)
        deadline = time.monotonic() + 60
        while _unread(writing) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        os.close(writing)
    assert process.returncode == 130
    assert told.endswith(said)
    assert told.startswith(b"Stopped.")
    assert b"Traceback" not in told


INTERRUPTED_WHILE_LOADING = """
import os, signal, sys
class Interrupts:
    def find_spec(self, name, *_):
        if name == "app.cli":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupts())
from app.__main__ import run
sys.exit(run(["standings", "games.ndjson"]))
"""


def test_ctrl_c_while_the_command_loads_just_ends_it() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", INTERRUPTED_WHILE_LOADING]
    done = subprocess.run(words, env=environment, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


def _unread(pipe: int) -> bool:
    """Whether something is in the pipe still."""
    waiting = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, waiting)
    return waiting[0] > 0
