"""Programs that are not ours, as sketched for the rules: a judge refuses what is wrong in them and nothing else."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.operate.judges.verdicts import judged
from tests.gpucluster.operate.judges.conftest import resources

HERE = Path(__file__).parent
FILES = sorted((HERE.parents[2] / "policies/foreign").glob("*.yaml"))
GOLDEN = HERE / "foreign.txt"


def sketched(file: Path) -> list[Resource]:
    """Its resources, whose names begin with that of the file."""
    declared = {name: (of["type"], of.get("properties", {})) for name, of in yaml.safe_load(file.read_text()).items()}
    found = resources(**declared)
    return [replace(one, urn=f"{file.stem} {one.urn}", name=f"{file.stem}: {one.name}") for one in found]


@pytest.mark.slow
def test_what_is_refused_of_them_is_what_their_sketches_leave_out() -> None:
    """UPDATE_GOLDEN=1 writes it anew; read it: each line has to be true of the cloud."""
    everything = Resources(one for file in FILES for one in sketched(file))
    lines = [
        f"{verdict.resource.name} ({verdict.resource.type}): {': '.join(filter(None, (remark.path, remark.text)))}"
        for verdict in judged(everything)
        for remark in verdict.refusals
    ]
    text = "\n".join(lines) + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()
