"""docs/reference/names.md against what the components declare on Google Cloud, and labels on all that takes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpucluster.components.gcp.cloud import CLOUD
from gpucluster.components.gcp.location import Location
from gpucluster.components.spec.file import read_spec
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/reference/names.md").read_text().partition("# Names and labels on Google Cloud")[2]
HERE = Location(project="my-project", region="us-central1", zone="us-central1-b")
SPECS = [ROOT / "stacks/specs/trial.yaml", *sorted((ROOT / "examples/specs/gcp").glob("*.yaml"))]
# Properties by which the cloud knows a resource.
NAMES = ("name", "instanceId", "accountId", "roleId", "repositoryId")
LABELS = ("labels", "resourceLabels")

Registered = list[tuple[str, str, dict[str, Any]]]


@pytest.fixture(scope="module")
def declared(registered: Callable[[Callable[[], object]], Registered]) -> Registered:
    """What the trial and every example register in the project."""
    from gpucluster.components.gcp.cluster import TrainingCluster

    found: Registered = []
    for path in SPECS:
        plan = CLOUD.plan_cluster(read_spec(path), HERE, stack="gcp-trial")

        def declare(plan: Any = plan) -> object:
            return TrainingCluster(plan.name, plan)

        found += [item for item in registered(declare) if item[0].startswith("gcp:")]
    return found


def test_every_type_is_named_and_labelled_as_the_page_says(declared: Registered) -> None:
    schema = Schema(installed_sdks(site_packages(None))["gcp"])

    def naming(typ: str, inputs: dict[str, Any]) -> str:
        found = schema.resource_type(typ)
        assert found is not None, typ
        by = [name for name in NAMES if name in found.inputs]
        return "none" if not by else "fixed" if by[0] in inputs else "auto"

    def takes_labels(typ: str) -> bool:
        found = schema.resource_type(typ)
        assert found is not None, typ
        return any(label in found.inputs for label in LABELS)

    named: dict[str, str] = {typ: naming(typ, inputs) for typ, _, inputs in declared}
    rows = re.findall(r"^\| `(gcp:\S+)` \| ([a-z]+) \|", PAGE, re.MULTILINE)
    assert dict(rows) == named
    bare = set(re.findall(r"^\| `(gcp:\S+)` \|.*no labels", PAGE, re.MULTILINE))
    assert bare == {typ for typ in named if not takes_labels(typ)}


def test_all_that_takes_labels_carries_the_specs_and_says_whose_it_is(declared: Registered) -> None:
    wanted = {"team", "project", "cost-center", "environment", "owner", "pulumi-project", "pulumi-stack", "managed-by"}
    labelled = {
        name: inputs[label] for _, name, inputs in declared for label in LABELS if isinstance(inputs.get(label), dict)
    }
    pools = {name: inputs["nodeConfig"]["resourceLabels"] for typ, name, inputs in declared if typ.endswith("NodePool")}
    assert len(pools) > 20
    for name, labels in {**labelled, **pools}.items():
        assert labels["name"] == name
        assert wanted - set(labels) == set()
