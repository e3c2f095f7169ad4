"""No command writes escape codes, neither for a terminal to obey nor as letters, where nobody wants them."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import click
import pytest

from gpucluster.cli import main
from tests.fuzz.case import folder_of
from tests.fuzz.inputs import KINDS
from tests.fuzz.programs import answering
from tests.gpucluster.test_cli import COMMANDS

ROOT = Path(__file__).parents[2]
LEAVES = [path for path, command in COMMANDS if not isinstance(command, click.Group)]
OWN: dict[tuple[str, ...], list[str]] = {
    ("acceptance", "burn-in"): ["--help"],
    ("acceptance", "run"): ["--help"],
    ("completion",): ["bash"],
    ("cost", "prices", "refresh"): ["--help"],
    ("cost", "prices", "show"): ["--region", "us-east-1"],
    ("guardrails", "explain"): ["budget"],
    ("guardrails", "pack"): ["--help"],
    ("package",): ["--help"],
    ("quote",): ["--help"],
    ("sandbox", "engine"): ["--help"],
    ("sandbox", "kubernetes"): ["--help"],
    ("schema",): ["spec"],
}
"""Words of commands without a file of input, as they end without an account, a cluster or a network. The others of
those end with an error outside of a project."""


class _Stream(io.BytesIO):
    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


class _Input(io.BytesIO):
    name = "<stdin>"


def _called(words: Sequence[str], folder: Path, *, terminal: bool, **variables: str) -> str:
    shown = _Stream(terminal=terminal)
    stream = io.TextIOWrapper(shown, encoding="utf-8", write_through=True)
    with (
        mock.patch.dict(os.environ, {"COLUMNS": "100", **variables}),
        mock.patch("gpucluster.operate.pull_request.judgement.judged", lambda *_, **__: []),
        mock.patch("sys.stdin", io.TextIOWrapper(_Input())),
        chdir(folder),
        redirect_stdout(stream),
        redirect_stderr(stream),
        pytest.raises(SystemExit) as ended,
    ):
        main(list(words))
    assert ended.value.code in (None, 0, 1, 2), shown.getvalue().decode()
    return shown.getvalue().decode()


def _inputs(path: tuple[str, ...]) -> Iterator[tuple[list[str], str, str]]:
    """Words of a command with a file, the file's name and its text, one for each kind of input."""
    for of in KINDS.values():
        if of.packed or of.variable:
            continue
        for command in of.commands:
            if tuple(command[: len(path)]) == path and "--format" not in command:
                yield [word.replace("OUT", "results") for word in command], of.name, of.seeds[0]
                break


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of(tmp_path_factory.mktemp("escapes"))


@pytest.mark.parametrize(
    ("terminal", "variables"),
    [
        (False, {"TERM": "xterm-256color"}),
        (True, {"TERM": "dumb"}),
        (True, {"TERM": "xterm-256color", "NO_COLOR": "1"}),
    ],
    ids=["no terminal", "dumb terminal", "NO_COLOR"],
)
@pytest.mark.parametrize("path", LEAVES, ids=" ".join)
def test_no_command_writes_escape_codes(
    path: tuple[str, ...], terminal: bool, variables: dict[str, str], folder: Path, tmp_path: Path
) -> None:
    calls = [] if path in OWN else list(_inputs(path))
    place = folder if calls else tmp_path
    for words, name, text in calls or [([*path, *OWN.get(path, [])], "", "")]:
        if name:
            (folder / name).write_text(text)
        stands = [{"FILE": str(folder / name), "TEXT": text}.get(word, word) for word in words]
        said = _called(
            stands, place, terminal=terminal, **variables, **answering(folder, "", folder / "none", fails=False)
        )
        assert said
        assert "\x1b" not in said
        assert r"\x1b" not in said


def test_styles_are_written_only_where_the_terminal_shows_them() -> None:
    """A style in a text that becomes plain later would be seen as letters."""
    code = {
        path: path.read_text(encoding="utf-8")
        for folder in ROOT.iterdir()
        if (folder / "__init__.py").exists() and folder.name != "tests"
        for path in folder.rglob("*.py")
    }
    styled = {str(path.relative_to(ROOT)) for path, text in code.items() if "click.style" in text or ".secho" in text}
    assert styled == {"gpucluster/core/text/terminal.py"}
