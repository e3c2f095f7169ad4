"""Every example spec is one that a user may take as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from components.__main__ import main

SPECS = sorted((Path(__file__).parents[2] / "examples/specs").glob("*.yaml"))


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_an_example_passes_the_check(path: Path) -> None:
    done = CliRunner().invoke(main, ["check", str(path)])
    assert done.exit_code == 0, done.output
