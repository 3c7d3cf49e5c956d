"""The example in each command's help works as it stands, in a checkout of which a service runs."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.running import ROOT, run, service
from tests.cli.test_commands import COMMANDS

ORDER = (
    "migrate",
    "demo",
    "audit",
    "backup",
    "restore",
    "export",
    "import",
    "score",
    "standings",
    "keys",
    "openapi",
    "rules",
)


def examples(capsys: pytest.CaptureFixture[str]) -> dict[str, list[str]]:
    """Each command's example, as its help shows it."""
    found = {}
    for command in COMMANDS:
        shown = re.search(r"Example: (.*)", run(capsys, *command, "--help").out)
        if shown is not None:
            found[" ".join(command)] = shlex.split(shown[1])
    return found


def test_every_example_works(
    capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "docs" / "examples", "docs/examples")
    environment.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    shown = examples(capsys)
    assert shown.pop("serve") == ["MAFRATE_PORT=9000", "mafrate", "serve"]
    assert {command.split()[0] for command in shown} == {*ORDER}
    with service("sqlite:///data/mafrate.db", tmp_path) as (client, _):
        environment.setenv("MFR_URL", str(client.base_url))
        for command in sorted(shown, key=lambda command: ORDER.index(command.split()[0])):
            words, file = shown[command][1:], None
            if ">" in words:
                *words, _, file = words
            done = run(capsys, *words)
            assert (done.status, done.err) == (0, ""), command
            if file is not None:
                Path(file).write_text(done.out)
            if command == "demo":
                environment.setenv("MFR_KEY", done.out.split()[-1])
