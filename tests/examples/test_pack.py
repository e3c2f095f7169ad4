"""The rules of the page about packs of a company, replayed on the recorded plans of the trials."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from gpucluster.errors import InputError
from gpucluster.rules.testing import Replay, Result, replay

ROOT = Path(__file__).parents[2]
PACK = ROOT / "examples/pack"
PLANS = ROOT / "tests/cost/bills/trials"


def found(cloud: str, rule: str, **config: Any) -> Replay:
    return replay(PACK, PLANS / f"{cloud}.json", config={rule: config}, rules=[rule])


@pytest.mark.parametrize(
    ("cloud", "bought", "resource", "what"),
    [
        ("aws", ["p5.48xlarge"], "trial-system-nodes", "2 nodes of m7i.xlarge, allowed are p5.48xlarge"),
        ("gcp", ["a3-megagpu-8g"], "trial-system-nodes", "6 nodes of e2-standard-4, allowed are a3-megagpu-8g"),
        ("azure", ["Standard_D8ds_v5"], "trial-training-nodes",
         "5 nodes of Standard_ND96isr_H100_v5, allowed are Standard_D8ds_v5"),
    ],
)  # fmt: skip
def test_a_machine_that_is_not_bought_is_found(cloud: str, bought: list[str], resource: str, what: str) -> None:
    assert found(cloud, "allowed-machines", machines=bought).mandatory == [Result("allowed-machines", resource, what)]


def test_bought_machines_pass_and_no_list_is_said() -> None:
    assert found("aws", "allowed-machines", machines=["p5.48xlarge", "m7i.xlarge"]).mandatory == []
    nothing = found("aws", "allowed-machines", machines=[])
    assert nothing.not_checked == [Result("allowed-machines", "", "allowed machines")]


@pytest.mark.parametrize(("cloud", "region"), [("aws", "us-east-1"), ("gcp", "us-central1"), ("azure", "eastus")])
def test_a_resource_outside_of_the_regions_is_found(cloud: str, region: str) -> None:
    assert found(cloud, "allowed-regions", regions=[region, "us-central1-a"]).mandatory == []
    outside = found(cloud, "allowed-regions", regions=["eu-west-1"]).mandatory
    assert {one.what for one in outside} == {f"in {region}, allowed are eu-west-1"}


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_a_cost_centre_of_another_form_is_found_without_its_value(cloud: str) -> None:
    missing = found(cloud, "cost-centre-pattern").mandatory
    assert missing
    assert all("`cost-centre` is not of the form CC-[0-9]{4}" in one.what for one in missing)
    assert found(cloud, "cost-centre-pattern", key="team", pattern="[a-z-]+").mandatory == []


def test_a_value_that_is_not_known_yet_is_undecided() -> None:
    plan = json.loads(
        (PLANS / "aws.json").read_text().replace('"m7i.xlarge"', '"04da6b54-80e4-46f7-96ec-b56ff0331ba9"')
    )
    asked = replay(PACK, plan, rules=["allowed-machines"])
    assert asked.mandatory == []
    assert asked.undecided == [Result("allowed-machines", "trial-system-nodes", "its machine type is not known yet")]


def test_the_page_has_the_files_as_they_are() -> None:
    page = (ROOT / "docs/plan/company-packs.md").read_text()
    for file in sorted(PACK.iterdir()):
        if file.suffix in (".py", ".yaml"):
            assert file.read_text().strip() in page, file.name


def test_the_test_on_the_page_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs/plan/company-packs.md").read_text()
    [written] = re.findall(r"```python\n(from gpucluster\.rules\.testing .*?)```", page, re.DOTALL)
    (tmp_path / "acme").symlink_to(PACK)
    shutil.copy(PLANS / "aws.json", tmp_path / "plan.json")
    monkeypatch.chdir(tmp_path)
    defined: dict[str, Any] = {}
    exec(written, defined)
    [test] = [value for name, value in defined.items() if name.startswith("test_")]
    test()


def test_a_plan_that_can_not_be_read_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text("[]")
    with pytest.raises(InputError):
        replay(PACK, tmp_path / "plan.json")
