"""What tests of the command need: no settings but their own, and a folder to be in."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """No settings at all, in an empty folder."""
    for name in list(os.environ):
        if name.startswith("MAFRATE_"):
            monkeypatch.delenv(name)
    monkeypatch.delenv("LANG", raising=False)
    monkeypatch.chdir(tmp_path)
    return monkeypatch
