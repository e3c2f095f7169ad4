"""A spec that `gpucluster quote` writes, on the real engine: its preview costs what was quoted, to the cent."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.stacks.conftest import Project

pytestmark = [pytest.mark.engine, pytest.mark.slow]


@pytest.mark.parametrize(
    ("cloud", "region", "machine", "way", "gpus", "lasting", "terms"),
    [
        ("aws", "eu-north-1", "p5.48xlarge", "capacity block", "56", "17d", "--support aws=business --discount aws=8%"),
        ("gcp", "us-east4", "a3-megagpu-8g", "on demand", "64", "30d", ""),
        ("azure", "swedencentral", "Standard_ND96isr_H100_v5", "reservation", "8", "2w", ""),
    ],
)
def test_the_preview_of_a_picked_spec_costs_what_was_quoted(
    project: Project, cloud: str, region: str, machine: str, way: str, gpus: str, lasting: str, terms: str
) -> None:
    asked = ("quote", "--gpus", gpus, "--for", lasting, "--clouds", cloud, "--regions", region, "--storage", "50TiB")
    asked += tuple(terms.split())
    answer = json.loads(project.run(*asked, "--format", "json").out)
    (chosen,) = [one for one in answer["quotes"] if (one["machine"], one["way"]) == (machine, way)]
    picked = project.run(*asked, "--pick", str(chosen["number"]), "-o", "stacks/specs/picked.yaml")
    assert picked.code == 0, picked.text
    *_, command = picked.err.split("Next: gpucluster ")
    checked = project.run(*command.split())
    assert checked.code == 0, checked.text

    stack = f"{cloud}-trial"
    keys = {"spec": "specs/picked.yaml", "cloud": cloud, **chosen["place"], "machine": machine}
    config = {"config": {f"gpucluster:{key}": value for key, value in keys.items()}}
    (project.path / f"stacks/Pulumi.{stack}.yaml").write_text(yaml.safe_dump(config))
    preview = project.pulumi("preview", "--json", "--show-sames", stack=stack)
    assert preview.code == 0, preview.text
    report = project.report(preview.out)
    assert report["trial"]["expected"] == chosen["total_usd"]
    assert report["monthly"]["expected"] == chosen["monthly_usd"]
    assert sorted(item["reason"] for item in report["not_priced"]) == sorted(chosen["not_priced"])
