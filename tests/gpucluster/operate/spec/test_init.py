"""`gpucluster init` and `gpucluster check` in a pipe."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

GPUCLUSTER = Path(sys.executable).with_name("gpucluster")


def _run(*args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(GPUCLUSTER), *args], input=stdin, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_first_spec_goes_to_the_check_through_a_pipe() -> None:
    spec = _run("init", "-", "--name", "piped")
    assert (spec.returncode, spec.stderr) == (0, "")
    checked = _run("check", "-", stdin=spec.stdout)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.startswith("cluster    piped on EKS")


def test_what_is_wrong_on_stdin_is_told_under_that_name() -> None:
    checked = _run("check", "-", stdin="")
    assert (checked.returncode, checked.stdout) == (2, "")
    assert checked.stderr.splitlines() == [
        "error: stdin: 1 problem",
        "  is empty; a spec is a mapping that starts with name: and training:; `gpucluster init` writes one",
    ]
