"""The commands of the pages that one reads first are typed word for word, in the order of the page.

`walks.yaml` says where, and names each command that is not run, with the reason.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.live.conftest import need_programs
from tests.live.test_tutorial import INSTEAD, in_the_sandbox
from tests.packaging.conftest import make_environment
from tests.terminal import in_terminal

ROOT = Path(__file__).parents[2]
TABLE: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("walks.yaml").read_text())
WIDTH = 80
_PARTS = re.compile(
    r"^## (?P<section>[^\n]+)$"
    r"|^```(?P<language>[\w ]*)\n(?P<block>.*?)^```$"
    r"|Change `(?P<old>[^`]+)` to\s+`(?P<new>[^`]+)` in \[`(?P<file>[^`]+)`\]"
    r"|`(?P<inline>[^`]+)`",
    re.MULTILINE | re.DOTALL,
)
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07]*(?:\x07|\x1b\\)|[@-Z\\-_])")


@dataclass(frozen=True)
class Step:
    """One thing that a page makes its reader do. command: empty if it changes a file only."""

    section: str
    command: str = ""
    shown: str = ""
    """Output of the command, as the page shows it."""
    file: str = ""
    old: str = ""
    """Text of the file that `new` replaces; empty: all of it."""
    new: str = ""


def steps(page: str) -> Iterator[Step]:
    """In the page's order. A block without a language, or of `sh`, has commands, unless the table says output."""
    table, section, last = TABLE[page], "", Step("")
    for part in _PARTS.finditer((ROOT / page).read_text()):
        language, block = part["language"], part["block"]
        if part["section"]:
            section = part["section"]
        elif part["old"]:
            yield Step(section, file=part["file"], old=part["old"], new=part["new"])
        elif part["inline"]:
            if (command := " ".join(part["inline"].split())) in table.get("inline", ()):
                last = Step(section, command)
                yield last
        elif language in table.get("files", ()):
            yield Step(section, file=table["files"][language], new=block)
        elif language.partition(" ")[0] in ("", "sh"):
            first = block.partition("\n")[0].strip()
            if first in table.get("shown", ()):
                yield Step(section, shown=block)
            elif first not in table.get("output", {}):
                yield from _commands(section, block)


def _commands(section: str, block: str) -> Iterator[Step]:
    if not block.startswith("$ "):
        for line in block.splitlines():
            if command := line.partition(" # ")[0].strip():
                yield Step(section, command)
        return
    for text in block.removeprefix("$ ").split("\n$ "):
        command, _, shown = text.partition("\n")
        yield Step(section, command, shown)


def test_the_table_names_what_stands_in_the_pages() -> None:
    for page, table in TABLE.items():
        found = [*steps(page)]
        commands = {step.command for step in found}
        text = (ROOT / page).read_text()
        named = {name for key in ("not_run", "instead", "code", "inline", "wide") for name in table.get(key, ())}
        assert named - commands == set(), page
        assert {*table.get("sections", {})} - {step.section for step in found} == set(), page
        lines = {line.strip() for line in text.splitlines()}
        assert {*table.get("shown", ()), *table.get("output", {})} - lines == set(), page
        assert commands - {*table.get("not_run", {})} != set(), page


def test_the_tutorial_is_typed_as_its_own_table_says() -> None:
    assert TABLE["docs/start/tutorial.md"]["live"] == INSTEAD


@dataclass
class Walk:
    """A shell in a folder, at a terminal or in a pipe; what a command exports and where it goes holds for the next."""

    folder: Path
    way: str
    memory: Path

    def __post_init__(self) -> None:
        self.memory.write_text(f"cd '{self.folder}'\n")

    def run(self, command: str, code: int = 0) -> str:
        """What it writes, without the codes of a terminal."""
        keep = f"trap '{{ export -p; echo \"cd $PWD\"; }} > {self.memory}' EXIT"
        words = ["sh", "-c", f". {self.memory}\n{keep}\n{command}"]
        if self.way == "terminal":
            got, text = in_terminal(words, self.folder, columns=WIDTH, TERM="xterm-256color")
        else:
            done = subprocess.run(
                words,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            got, text = done.returncode, done.stdout
            assert _ESCAPES.search(text) is None, f"{command}: codes of a terminal in a pipe\n{text}"
        text = _ESCAPES.sub("", text.replace("\r\n", "\n"))
        assert got == code, f"{command}: exit code {got}\n{text}"
        return text


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_environment(wheel, tmp_path_factory.mktemp("walks") / "venv").path


@pytest.fixture
def folder(environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Makes what `folder` of the table names. The package is on the PATH, and nothing else of this checkout."""
    for name in ("GPUCLUSTER_OUTPUT", "NO_COLOR", "PYTHONPATH", "VIRTUAL_ENV", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{environment / 'bin'}:/usr/local/bin:/usr/bin:/bin")
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))

    def make(name: str) -> Path:
        made = tmp_path / name
        made.mkdir()
        if name == "clone":
            _clone(made, environment)
        return made

    return make


def _clone(folder: Path, environment: Path) -> None:
    """The files of the repository as they are now, in a repository of their own, with `make` done."""

    def git(where: Path, *words: str) -> str:
        done = subprocess.run(["git", "-C", where, *words], check=True, capture_output=True, text=True)
        return done.stdout

    for name in git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "-c", "user.name=Reader", "-c", "user.email=reader@example.com", "commit", "--quiet", "-m", "Copy")
    (folder / ".venv").symlink_to(environment)
    uv = folder / ".tools/uv/bin/uv"
    uv.parent.mkdir(parents=True)
    uv.write_text("#!/bin/sh\necho 'nothing is installed in a test' >&2\nexit 1\n")
    uv.chmod(0o755)
    for name in (".checked", ".ready", ".ready-dev"):
        (environment / name).touch()


_WHOLE = re.compile(
    r"\s*\S+$"  # an address, a path, a name of the engine
    r"| {4}[\w-]+: "  # messages of programs and packs, which the engine does not break
    r"| {4}\S+ \S+@v|\s+(- \[|why: |fix: )"  # findings of a pack, as the engine prints them
    r"| +[\w.-]+ *: \"|The resources in the stack have been deleted"  # outputs, and the engine's own sentence
    r"|(running |Next +| +|Previewing \w+: ).*gpucluster "  # commands
)
"""Lines that are copied whole, or that the engine writes."""


def too_wide(text: str) -> list[str]:
    """Lines that a terminal breaks, but for `_WHOLE`."""
    # A command that another one started writes behind the sign that work goes on.
    text = re.sub(r"[\u2800-\u28ff] [a-z ]+", "", text)
    lines = (line.rstrip() for line in re.split(r"[\r\n]", text))
    return [line for line in lines if len(line) > WIDTH and not _WHOLE.match(line)]


# In a pipe the whole of what a page shows is compared, so a page that a price makes stale is seen in its pull request.
WALKS = [
    pytest.param(page, way, marks=[pytest.mark.core] if way == "pipe" and "live" not in table else [])
    for page, table in TABLE.items()
    for way in table.get("ways", ("terminal", "pipe"))
]


@pytest.mark.slow
@pytest.mark.engine
@pytest.mark.timeout(3600)  # a page has up to thirty commands, and the first one waits for the wheel
@pytest.mark.parametrize(("page", "way"), WALKS)
def test_every_command_of_a_page_does_what_the_page_says(page: str, way: str, folder: Callable[[str], Path]) -> None:
    table = TABLE[page]
    if "live" in table:
        need_programs()
    walks: dict[str, Walk] = {}
    for name in (table["folder"], *table.get("sections", {}).values()):
        made = folder(name)
        walks[name] = Walk(made, way, made.with_suffix(".sh"))
        for command in table.get("before", {}).get(name, ()):
            Walk(made, "pipe", made.with_suffix(".before")).run(command)
    wide: list[str] = []
    text = ""
    for step in steps(page):
        walk = walks[table.get("sections", {}).get(step.section, table["folder"])]
        if step.file:
            file = walk.folder / step.file
            before = file.read_text() if step.old else ""
            assert step.old in before, step
            file.write_text(before.replace(step.old, step.new) if step.old else step.new)
        elif step.command and step.command not in table.get("not_run", {}):
            command = table.get("instead", {}).get(step.command, [step.command])[0]
            command = in_the_sandbox(command, table.get("live", {}))
            text = walk.run(command, table.get("code", {}).get(step.command, 0))
            if way == "terminal" and step.command in table.get("wide", {}):
                assert too_wide(text) != [], f"{command} is no exception any more"
            elif way == "terminal":
                wide += [f"{command}: {line}" for line in too_wide(text)]
        if step.shown and (step.command or way == "pipe"):  # at a terminal, the engine draws a tree
            assert missing(step.shown, text) == [], text
    assert wide == [], "\n".join(wide)


def missing(shown: str, text: str) -> list[str]:
    """Lines of a page that the output lacks in their order; `...` stands for any."""
    rest = [" ".join(line.split()) for line in text.splitlines()]
    lacking: list[str] = []
    for line in (" ".join(line.split()) for line in shown.splitlines()):
        if line in rest:
            rest = rest[rest.index(line) + 1 :]
        elif line not in ("", "..."):
            lacking.append(line)
    return lacking
