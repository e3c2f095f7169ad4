"""The place of a finding: the spec's line, else the program's, never our own components'."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gpucluster.core.program.readers.files import read_file
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.core.program.spec_places import specs_of
from gpucluster.policies.engine.rule import Enforcement, Rule, Violation
from gpucluster.policies.report import Checked, Found
from gpucluster.policies.rules import budget, disks_encrypted, required_labels

BUCKET = "aws:s3/bucket:Bucket"
CLUSTER = Resource(
    urn="urn:pulumi:dev::shop::gpucluster:aws:TrainingCluster::trial",
    type="gpucluster:aws:TrainingCluster",
    name="trial",
    custom=False,
    source_position="__main__.py#12",
)
INSIDE = Resource(
    urn=f"urn:pulumi:dev::shop::gpucluster:aws:TrainingCluster${BUCKET}::trial-data",
    type=BUCKET,
    name="trial-data",
    parent=CLUSTER.urn,
    source_position="components/aws/storage.py#9",
)
OWN = Resource(
    urn=f"urn:pulumi:dev::shop::{BUCKET}::data", type=BUCKET, name="data", source_position="__main__.py#17,4"
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "stacks" / "specs").mkdir(parents=True)
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nmain: stacks/\nruntime: python\n")
    (tmp_path / "stacks/specs/trial.yaml").write_text("name: trial\nbudget:\n  monthly_usd: 1\nlabels: {team: a}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("rule", "about", "field", "place"),
    [
        (budget.RULE, CLUSTER, "budget.monthly_usd", ("stacks/specs/trial.yaml", 3)),
        (required_labels.RULE, INSIDE, "labels", ("stacks/specs/trial.yaml", 4)),
        (required_labels.RULE, OWN, "", ("__main__.py", 17)),
        (disks_encrypted.RULE, INSIDE, "", ("__main__.py", 12)),
        (budget.RULE, None, "budget.monthly_usd", ("stacks/specs/trial.yaml", 3)),
    ],
    ids=["a cluster", "inside a cluster", "a resource of the program", "no field decides", "the stack"],
)
def test_a_finding_is_where_it_can_be_mended(
    project: Path, rule: Rule, about: Resource | None, field: str, place: tuple[str, int] | None
) -> None:
    checked = Checked(
        file="plan.json", outcomes=[], resources=Resources([CLUSTER, INSIDE, OWN]),
        specs=specs_of("specs/trial.yaml", project),
    )  # fmt: skip
    found = Found(checked=checked, level=Enforcement.ADVISORY, rule=rule, violation=Violation(about, "wrong"))
    assert (found.field, found.place) == (field, place)


@pytest.mark.parametrize("about", [CLUSTER, INSIDE], ids=["the cluster", "inside of it"])
def test_without_a_spec_file_a_finding_is_where_the_program_declares_the_cluster(
    project: Path, about: Resource
) -> None:
    checked = Checked(
        file="plan.json", outcomes=[], resources=Resources([CLUSTER, INSIDE]), specs=specs_of("", project)
    )
    found = Found(checked=checked, level=Enforcement.ADVISORY, rule=budget.RULE, violation=Violation(about, "wrong"))
    assert found.place == ("__main__.py", 12)
    assert found.where == "__main__.py:12, budget.monthly_usd"


def test_a_cluster_that_no_program_calls_has_no_place_of_ours(project: Path) -> None:
    cluster = replace(CLUSTER, source_position=None)
    checked = Checked(
        file="plan.json", outcomes=[], resources=Resources([cluster, INSIDE]), specs=specs_of("", project)
    )
    found = [
        Found(checked=checked, level=Enforcement.ADVISORY, rule=budget.RULE, violation=Violation(about, "wrong"))
        for about in (cluster, INSIDE)
    ]
    assert [(one.field, one.place) for one in found] == [("budget.monthly_usd", None)] * 2


def test_the_spec_is_that_of_the_plans_stack_and_of_its_project_alone(project: Path, tmp_path: Path) -> None:
    plan = {"config": {"gpucluster:spec": "specs/trial.yaml"}, "steps": [], "changeSummary": {}}
    assert read_file(json.dumps(plan), "plan.json").spec == "specs/trial.yaml"
    assert specs_of("specs/trial.yaml", project / "stacks") == [tmp_path / "stacks/specs/trial.yaml"]
    outside = tmp_path.parent / f"{tmp_path.name}.yaml"
    outside.write_text("name: trial\n")
    assert [specs_of(text, project) for text in (f"../../{outside.name}", "specs/gone.yaml", "")] == [[], [], []]
