"""No price of an example can go without its line being named, and no input of one is left out of its cost."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_examples_have_every_input_considered_and_name_the_line_of_every_price_that_is_taken_away() -> None:
    command = [sys.executable, "-m", "tests.examples.prices"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    taken = re.fullmatch(r"(\d+) prices taken away, 0 lines got away, 0 inputs not considered\n", done.stdout)
    assert taken is not None
    assert int(taken[1]) > 300
