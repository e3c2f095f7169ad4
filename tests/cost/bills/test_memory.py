"""A gigabyte of bill in a process that may have a fraction of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.cost.bills.big import write_big
from tests.cost.bills.conftest import Trial
from tests.cost.bills.generator import write_csv

MOST_MB: Final = 800

_KILOBYTES = "resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss"
MEASURED: Final = (
    sys.executable, "-c",
    "import resource, subprocess, sys\n"
    f"code = subprocess.run(sys.argv[1:]).returncode; print({_KILOBYTES}, file=sys.stderr); sys.exit(code)",
)  # fmt: skip
"""In a process of its own: that of the tests has had other children."""


@pytest.mark.slow
def test_a_gigabyte_is_read_in_less_memory_than_it_has(trial: Trial, tmp_path: Path) -> None:
    bill = write_big(tmp_path / "big.csv", write_csv(tmp_path / "bill.csv", trial.bill()), 10**9)
    assert bill.stat().st_size > 0.9 * 10**9
    command = [sys.executable, "-m", "gpucluster", "cost", "reconcile", str(trial.file), "--bill", str(bill)]
    done = subprocess.run([*MEASURED, *command], capture_output=True, text=True, timeout=500, check=False)
    bill.unlink()
    assert (done.returncode, "100.0% line by line" in done.stdout) == (0, True), done.stderr
    assert int(done.stderr.splitlines()[-1]) / 1024 < MOST_MB
