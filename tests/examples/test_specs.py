"""Every example spec is one that a user may take as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from gpucluster.cli import main

FOLDER = Path(__file__).parents[2] / "examples/specs"
# The zone of the stack gcp-trial: the one of its region that lists every A3 machine.
PLACES = {
    FOLDER / "aws": (),
    FOLDER / "azure": ("--cloud", "azure"),
    FOLDER / "gcp": ("--cloud", "gcp", "--zone", "us-central1-b"),
}
SPECS = sorted(FOLDER.rglob("*.yaml"))


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_an_example_passes_the_check(path: Path) -> None:
    done = CliRunner().invoke(main, ["check", str(path), *PLACES[path.parent]])
    assert done.exit_code == 0, done.output
