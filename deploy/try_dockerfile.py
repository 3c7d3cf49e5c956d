"""Execute the steps of the Dockerfile in a bare root directory, start the service there, and run its health check.

For machines without a container engine: ``python3 deploy/try_dockerfile.py FOLDER`` as root, with Debian's
debootstrap. The base image is Debian's own Python instead of ``python:…-slim``; packages come from where pip of
this machine finds them. About two minutes; the folder may be removed afterwards.
"""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
SUITE = "bookworm"


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """Each instruction of a Dockerfile: its word and the rest, comments left out, continued lines joined."""
    joined = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#")).replace("\\\n", " ")
    for line in joined.splitlines():
        if line.strip():
            word, rest = line.split(maxsplit=1)
            yield word, rest


class Stage:
    """A root directory, and what the instructions so far have set in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
        self.folder = "/"
        self.user = "root"
        self.command: list[str] = []
        self.health: list[str] = []

    def inside(self, path: str) -> Path:
        """A path of the stage, seen from here."""
        return self.root / Path(self.folder, path).relative_to("/")

    def process(self, words: list[str], extra: Mapping[str, str] = {}) -> list[str]:
        """The words that run ``words`` in the root, in its folder, as its user."""
        settings = [f"{name}={value}" for name, value in {**self.environment, **extra}.items()]
        entering = ["chroot", f"--userspec={self.user}", str(self.root), "/usr/bin/env", "--ignore-environment"]
        return [*entering, f"--chdir={self.folder}", *settings, *words]

    def run(self, command: str) -> None:
        """RUN: in a shell; pip is told what pip of this machine is told."""
        told = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        subprocess.run(self.process(["/bin/sh", "-ec", command], told), check=True)

    def copy(self, rest: str, stages: Mapping[str, "Stage"]) -> None:
        """COPY: from another stage, or from the checkout as git knows it."""
        *options, source, target = rest.split()
        place = self.inside(target)
        if options:
            origin = stages[options[0].removeprefix("--from=")].inside(source)
            shutil.copytree(origin, place, symlinks=True, dirs_exist_ok=True)
        elif source == ".":
            listed = subprocess.run(["git", "ls-files", "-z"], cwd=CHECKOUT, check=True, capture_output=True, text=True)
            for name in filter(None, listed.stdout.split("\0")):
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(CHECKOUT / name, place / name)
        else:
            shutil.copy2(CHECKOUT / source, place)

    def follow(self, word: str, rest: str, stages: Mapping[str, "Stage"]) -> None:
        """Execute an instruction, or note what it sets."""
        if word == "ENV":
            for pair in shlex.split(rest):
                name, value = pair.split("=", 1)
                self.environment[name] = value.replace("$PATH", self.environment["PATH"])
        elif word == "WORKDIR":
            self.folder = rest
            self.inside(".").mkdir(parents=True, exist_ok=True)
        elif word == "RUN":
            self.run(rest)
        elif word == "COPY":
            self.copy(rest, stages)
        elif word == "USER":
            self.user = f"{rest}:{rest}"
        elif word == "CMD":
            self.command = json.loads(rest)
        elif word == "HEALTHCHECK":
            self.health = json.loads(rest[rest.index("CMD") + len("CMD") :])
        elif word not in {"EXPOSE", "VOLUME"}:
            raise SystemExit(f"{word}: an instruction that this script does not know")


def main() -> None:
    """Make the stages in the folder named, and try the last."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("folder", type=Path, help="a new folder")
    folder = reader.parse_args().folder.resolve()
    base = folder / "base"
    folder.mkdir(parents=True)
    python = "python3,python3-venv"
    subprocess.run(["debootstrap", "--variant=minbase", f"--include={python}", SUITE, str(base)], check=True)
    (base / "usr/bin/python").symlink_to("python3")
    for name in ("etc/resolv.conf", "etc/pip.conf", "etc/ssl/certs/ca-certificates.crt"):
        if Path("/", name).exists():
            (base / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy("/" + name, base / name)
    stages: dict[str, Stage] = {}
    stage = None
    for word, rest in instructions((CHECKOUT / "Dockerfile").read_text()):
        if word == "FROM":
            name = rest.split(" AS ")[1] if " AS " in rest else "last"
            root = folder / name
            subprocess.run(["cp", "--archive", str(base), str(root)], check=True)
            stage = stages[name] = Stage(root)
        elif stage is None:
            raise SystemExit(f"{word} before FROM")
        else:
            sys.stdout.write(f"{word} {rest}\n")
            sys.stdout.flush()
            stage.follow(word, rest, stages)
    assert stage is not None
    try_out(stage)


def try_out(stage: Stage) -> None:
    """Start the service as a container would, and ask its health check until it says yes."""
    # In a root that is no container, /dev and /proc are missing; the service needs randomness only, which is a call.
    service = subprocess.Popen(stage.process(stage.command))
    try:
        for _ in range(60):
            time.sleep(0.5)
            if service.poll() is not None:
                raise SystemExit(f"the service ended with {service.returncode}")
            if subprocess.run(stage.process(stage.health), capture_output=True).returncode == 0:
                break
        else:
            raise SystemExit("the service does not become healthy")
    finally:
        service.terminate()
        service.wait(timeout=20)
    database = stage.inside("data/mafrate.db").stat()
    sys.stdout.write(f"healthy; the database belongs to user {database.st_uid}, mode {database.st_mode & 0o777:o}\n")


if __name__ == "__main__":
    main()
