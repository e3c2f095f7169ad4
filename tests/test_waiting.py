"""A wait ends with what it waits for, and else says what that was."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests import waiting
from tests.waiting import output_of, wait_for, wait_for_end

TESTS = Path(__file__).parent


def test_a_wait_gives_what_is_found() -> None:
    found = iter([None, "", "it"])
    assert wait_for("it", lambda: next(found)) == "it"


def test_a_wait_that_is_over_says_for_what_it_was_and_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LIMIT", 0.0)
    with pytest.raises(AssertionError, match="a node is ready\nno node"):
        wait_for("a node is ready", lambda: None, scene=lambda: "no node")


def test_a_wait_is_over_with_the_process_that_it_depends_on() -> None:
    ends = subprocess.Popen([sys.executable, "-c", "import sys; sys.exit(7)"])
    with ends, pytest.raises(AssertionError, match="a file: the process ended with 7"):
        wait_for("a file", lambda: None, of=ends)


def test_processes_are_waited_for_until_they_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen([sys.executable, "-c", "print(input())"], stdin=-1, stdout=-1, text=True) as process:
        assert process.stdin is not None
        with monkeypatch.context() as patched, pytest.raises(AssertionError, match="not ended"):
            patched.setattr(waiting, "LIMIT", 0.0)
            wait_for_end([psutil.Process(process.pid)])
        process.stdin.write("said\n")
        assert output_of(process) == ("said\n", None)
        wait_for_end([])


def test_no_test_asserts_a_time_on_a_clock() -> None:
    clocks = ("monotonic", "perf_counter", "process_time", "time.time()")
    found = [
        f"{path.relative_to(TESTS)}:{node.lineno}"
        for path in TESTS.rglob("*.py")
        if path != Path(waiting.__file__)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Assert) and any(clock in ast.unparse(node) for clock in clocks)
    ]
    assert found == []
