"""Running the command that writes a plan."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from gpucluster.core.program.readers.files import SET_VARIABLE, arguments_of, run
from gpucluster.core.program.readers.records import NotReadable

PYTHON = shlex.quote(sys.executable)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("python preview --stack 'a b'", ["python", "preview", "--stack", "a b", "--json", "--show-sames"]),
        ("python preview --json", ["python", "preview", "--json", "--show-sames"]),
        ("python stack export", ["python", "stack", "export"]),
    ],
)
def test_a_preview_is_asked_for_a_whole_plan(command: str, words: list[str]) -> None:
    first, *rest = arguments_of(command.replace("python", PYTHON, 1))
    assert (first, rest) == (sys.executable, words[1:])


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "--run is empty; write for example --run 'pulumi preview --stack dev'"),
        ("pulumi 'preview", "cannot be split into words: No closing quotation"),
        ("no-such-command preview", "there is no command 'no-such-command'; name one on PATH or by its path"),
    ],
)
def test_what_cannot_be_run_is_refused(command: str, message: str) -> None:
    with pytest.raises(NotReadable) as refused:
        arguments_of(command)
    assert message in str(refused.value)


def test_what_a_command_writes_is_read_and_values_reach_it() -> None:
    program = f"import os; print(os.environ.get('{SET_VARIABLE}'))"
    assert json.loads(run([sys.executable, "-c", program], {"nodes": "8"})) == {"nodes": "8"}
    assert run([sys.executable, "-c", program], {}).strip() == "None"


def test_a_command_that_fails_says_its_last_words() -> None:
    program = "import sys; print('first'); print('why', file=sys.stderr); sys.exit(7)"
    with pytest.raises(NotReadable) as refused:
        run([sys.executable, "-c", program], {}, quiet=True)
    said = str(refused.value).splitlines()
    assert said[0].endswith("ended with 7")
    assert said[1:] == ["first", "why"]


def test_a_plan_is_taken_even_from_a_command_that_fails(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text('{"steps": []}')
    program = f"import sys; print(open({str(plan)!r}).read()); sys.exit(1)"
    assert run([sys.executable, "-c", program], {}).strip() == '{"steps": []}'
