"""Previews the Python programs of a checkout of pulumi/examples, each with the SDKs that it asks for.

Resumable: a program that has been tried is not tried again while `--work` keeps its result and its files are the same;
`--again` forgets those that failed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import platformdirs
import yaml

from gpucluster.core.catalog.clouds import clouds

_CLOUDS: Final = (*clouds(), "kubernetes")
"""First words of the folders' names; others are providers that our clusters do not need, and are not counted."""
_SETTINGS: Final = Path(__file__).with_name("settings.yaml")
_UV: Final = Path(__file__).parents[3] / ".tools/uv/bin/uv"
_SHARE: Final = 0.8
_SECONDS: Final = 300


@dataclass(frozen=True)
class Result:
    """program: its folder. files: their digest. why: the first error, empty if it previewed. stands_in: warnings."""

    program: str
    files: str
    why: str
    stands_in: int
    seconds: float


def programs(checkout: Path) -> Iterator[Path]:
    """The folders with a Pulumi program in Python."""
    for file in sorted(checkout.rglob("Pulumi.yaml")):
        runtime: Any = yaml.safe_load(file.read_text()).get("runtime")
        name: Any = runtime if isinstance(runtime, str) else runtime["name"]
        if name == "python" and (file.parent / "__main__.py").is_file():
            yield file.parent


def digest(program: Path) -> str:
    """Of the names and contents of a program's files."""
    found = hashlib.sha256()
    for file in sorted(path for path in program.rglob("*") if path.is_file()):
        found.update(f"{file.relative_to(program)} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return found.hexdigest()


def tried(program: Path, name: str, work: Path, settings: Mapping[str, Any]) -> Result:
    """One program, copied, with its own environment."""
    started = time.monotonic()
    own = settings["programs"].get(name, {})
    with tempfile.TemporaryDirectory(dir=work) as scratch:
        folder = Path(scratch) / program.name
        shutil.copytree(program, folder, symlinks=True)
        for file, text in own.get("files", {}).items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)
        project = yaml.safe_load((folder / "Pulumi.yaml").read_text())
        _with_own_environment(folder / "Pulumi.yaml")
        config = {**settings["every"], **own.get("config", {})}
        prefixed = {key if ":" in key else f"{project['name']}:{key}": value for key, value in config.items()}
        (folder / "Pulumi.dev.yaml").write_text(yaml.safe_dump({"config": prefixed}))
        why, stands_in = _installed(folder), 0
        if not why:
            scenario = folder / "scenario.yaml"
            scenario.write_text(yaml.safe_dump(own.get("scenario", {"exists": []})))
            sandbox = [sys.executable, "-m", "gpucluster", "sandbox", "--scenario", str(scenario)]
            command = [*sandbox, "pulumi", "preview", "--stack", "dev"]
            code, text = _run(command, folder)
            why = "" if code == 0 else _first_error(text)
            stands_in = len(re.findall("stands in|is not modelled|made up", text))
            (work / f"{name.replace('/', '+')}.log").write_text(text)
    return Result(name, digest(program), why, stands_in, round(time.monotonic() - started, 1))


class _Loader(yaml.SafeLoader):
    """As Pulumi reads a project: only true and false are booleans, so that `default: off` remains a text."""

    yaml_implicit_resolvers: ClassVar = {  # pyright: ignore[reportIncompatibleVariableOverride]
        first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:bool" or first in "tTfF"]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def _with_own_environment(file: Path) -> None:
    """Names the environment created here, if the project has another tool for it, or none."""
    project = yaml.load(file.read_text(), _Loader)
    file.write_text(yaml.safe_dump(project | {"runtime": {"name": "python", "options": {"virtualenv": "venv"}}}))


def _installed(folder: Path) -> str:
    """Installs the program's requirements; the reason of a failure, or nothing."""
    code, text = _run([str(_UV), "venv", "--quiet", "--python", sys.executable, "venv"], folder)
    if code == 0:
        wanted = folder / "wanted.txt"
        wanted.write_text("\n".join(_requirements(folder)))
        command = [
            str(_UV),
            "pip",
            "install",
            "--quiet",
            "--python",
            "venv",
            "--requirement",
            str(wanted),
            "setuptools<81",
        ]
        code, text = _run(command, folder)
    return f"its requirements cannot be installed: {text.strip()[:300]}" if code else ""


def _requirements(folder: Path) -> list[str]:
    listed = folder / "requirements.txt"
    if listed.is_file():
        return listed.read_text().splitlines()
    project = tomllib.loads((folder / "pyproject.toml").read_text())
    dependencies: dict[str, str] = project["tool"]["poetry"]["dependencies"]
    return [f"{name}{version}" for name, version in dependencies.items() if name.startswith("pulumi")]


def _run(command: list[str], folder: Path) -> tuple[int, str]:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={"USER": "somebody", **os.environ},
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return 124, f"error: no end after {_SECONDS} s"
    return done.returncode, done.stdout + done.stderr


def _first_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip() != "error: The program failed:"]
    found = [line for line in lines if re.match(r"(\S+ )?error: |[\w.]*(Error|Exception)\b.*: ", line)]
    plain = [line for line in found if "preview failed" not in line] or found or lines[-1:]
    return plain[0][:240] if plain else "no output"


def _print(results: list[Result]) -> int:
    for result in results:
        print(f"{'yes' if not result.why else 'no ':4}{result.seconds:6.1f} s {result.program}  {result.why}")
    for cloud in _CLOUDS:
        own = [result for result in results if cloud in result.program.split("-")[:2]]
        good = sum(not result.why for result in own)
        print(f"{cloud:12}{good:4} of {len(own)}")
    counted = [result for result in results if {*_CLOUDS} & {*result.program.split("-")[:2]}]
    good = sum(not result.why for result in counted)
    print(f"{'all':12}{good:4} of {len(counted)} ({good / max(len(counted), 1):.0%}; wanted {_SHARE:.0%})")
    return int(good < _SHARE * len(counted))


def main() -> int:
    """Exit code 1 if fewer preview than required, 2 for a checkout without programs."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.foreign", description=__doc__)
    parser.add_argument("checkout", type=Path, help="folder of pulumi/examples")
    parser.add_argument("--only", default="", help="programs whose folder has this text in its name")
    parser.add_argument("--again", action="store_true", help="try again what failed")
    parser.add_argument("--work", type=Path, default=platformdirs.user_cache_path("gpucluster") / "foreign")
    given = parser.parse_args()
    wanted = {str(folder.relative_to(given.checkout)): folder for folder in programs(given.checkout)}
    wanted = {name: folder for name, folder in wanted.items() if given.only in name}
    if not wanted:
        named = f" with {given.only!r} in its name" if given.only else ""
        parser.error(f"{given.checkout} has no Pulumi program in Python{named}; name a checkout of pulumi/examples")
    given.work.mkdir(parents=True, exist_ok=True)
    settings = yaml.safe_load(_SETTINGS.read_text())
    kept = given.work / "results.json"
    entries: list[dict[str, Any]] = json.loads(kept.read_text()) if kept.exists() else []
    known = {entry["program"]: Result(**entry) for entry in entries if "files" in entry}
    for name, program in wanted.items():
        before = known.get(name)
        if before is None or before.files != digest(program) or (given.again and before.why):
            known[name] = tried(program, name, given.work, settings)
            print(f"{known[name].seconds:6.1f} s {name} {known[name].why}", file=sys.stderr, flush=True)
            kept.write_text(json.dumps([asdict(result) for result in known.values()], indent=1))
    return _print([known[name] for name in sorted(wanted)])


if __name__ == "__main__":
    sys.exit(main())
