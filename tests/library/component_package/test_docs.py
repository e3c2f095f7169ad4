"""docs/start/component-package.md shows what happens."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gpucluster.components.package.folder import SCHEMA_FILE
from tests.library.component_package.conftest import Yaml

PAGE = (Path(__file__).parents[3] / "docs/start/component-package.md").read_text()
[PROGRAM] = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page_names_every_input_and_output() -> None:
    cluster = json.loads(SCHEMA_FILE.read_text())["resources"]["gpucluster:aws:TrainingCluster"]
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == set(cluster["inputProperties"])
    outputs = PAGE.partition("## Outputs")[2].partition("##")[0]
    assert set(cluster["properties"]) <= set(re.findall(r"`(\w+)`", outputs))


@pytest.mark.engine
@pytest.mark.slow
def test_its_program_previews_as_it_says(project: Yaml) -> None:
    project.write(PROGRAM.replace("./gpucluster-package", "../package"))
    code, text = project.pulumi("preview")
    assert code == 0, text
    shown = PAGE.partition("first stack of a project:\n\n```\n")[2].partition("\n```")[0]
    lines = {line.strip() for line in text.splitlines()}
    assert [line for line in shown.splitlines() if line.strip() not in {*lines, "..."}] == []
    assert " + 157 to create" in shown


@pytest.mark.engine
@pytest.mark.slow
def test_its_mistakes_are_told_as_it_says(project: Yaml) -> None:
    wrong = PROGRAM.replace("{nodes: 4}", "{nodes: 0, fabric_gbs: 1600}").replace("us-east-1a", "us-east-9a")
    project.write(wrong.replace("./gpucluster-package", "../package"))
    code, text = project.pulumi("preview")
    told = PAGE.partition("fabric_gbs: 1600}`:\n\n```\n")[2].partition("\n```")[0]
    lines = {line.strip() for line in text.splitlines()}
    assert (code, [line for line in told.splitlines() if line.strip() not in lines]) == (2, []), text
