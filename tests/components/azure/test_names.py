"""docs/reference/names.md against what the components declare on Azure, and tags on all that takes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpucluster.components.azure.cloud import CLOUD
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.settings import Settings
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.file import read_spec
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/reference/names.md").read_text().partition("# Names and tags on Azure")[2]
SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
SETTINGS = Settings(bucket_group="data", lustre_principal=SUBSCRIPTION)
SPECS = [ROOT / "stacks/specs/trial.yaml", *sorted((ROOT / "examples/specs/azure").glob("*.yaml"))]
BUCKET = "https://corpora.blob.core.windows.net/text"
# Types whose name no input holds that a program may leave out, or that are named by another input.
NAMED = {
    "azure-native:compute:ProximityPlacementGroup": "proximityPlacementGroupName",
    "azure-native:containerregistry:CacheRule": "cacheRuleName",
    "azure-native:containerregistry:Registry": "registryName",
    "azure-native:containerservice:AgentPool": "agentPoolName",
    "azure-native:containerservice:ManagedCluster": "resourceName",
    "azure-native:monitor:DataCollectionRuleAssociation": "associationName",
    "azure-native:monitor:DiagnosticSetting": "name",
    "azure-native:storage:BlobContainer": "containerName",
    "azure-native:storage:FileShare": "shareName",
    "azure-native:storage:StorageAccount": "accountName",
}

Registered = list[tuple[str, str, dict[str, Any]]]


@pytest.fixture(scope="module")
def declared(registered: Callable[[Callable[[], object]], Registered]) -> Registered:
    """What the trial and every example register in the subscription, with all that a stack may choose."""
    from gpucluster.components.azure.cluster import TrainingCluster

    found: Registered = []
    for path in SPECS:
        spec = read_spec(path)
        near = spec.placement.kind != "reservation"
        settings = SETTINGS.model_copy(update={"proximity_group": near})
        shared = spec.storage.shared.model_copy(update={"bucket": BUCKET})
        spec = ClusterSpec.model_copy(spec, update={"storage": spec.storage.model_copy(update={"shared": shared})})
        here = Location(subscription=SUBSCRIPTION, region="eastus", number="1", settings=settings)
        plan = CLOUD.plan_cluster(spec, here, stack="azure-trial")

        def declare(plan: Any = plan) -> object:
            return TrainingCluster(plan.name, plan)

        found += [item for item in registered(declare) if item[0].startswith("azure-native:")]
    return found


def test_every_type_is_named_and_tagged_as_the_page_says(declared: Registered) -> None:
    schema = Schema(installed_sdks(site_packages(None))["azure-native"])
    named: dict[str, set[str]] = {}
    for typ, _, inputs in declared:
        named.setdefault(typ, set()).add("fixed" if NAMED.get(typ, "") in inputs else "auto")
    rows = re.findall(r"^\| `(azure-native:\S+)` \| ([a-z ]+) \|", PAGE, re.MULTILINE)
    assert {typ: set(naming.split(" or ")) for typ, naming in rows} == named

    def takes_tags(typ: str) -> bool:
        found = schema.resource_type(typ)
        assert found is not None, typ
        return "tags" in found.inputs

    bare = set(re.findall(r"^\| `(azure-native:\S+)` \|.*no tags", PAGE, re.MULTILINE))
    assert bare == {typ for typ in named if not takes_tags(typ)}


def test_all_that_takes_tags_carries_the_specs_labels_and_says_whose_it_is(declared: Registered) -> None:
    wanted = {"team", "project", "cost-center", "environment", "owner", "pulumi-project", "pulumi-stack", "managed-by"}
    tagged = {name: inputs["tags"] for _, name, inputs in declared if "tags" in inputs}
    assert len(tagged) > 80
    for name, tags in tagged.items():
        assert tags["name"] == name
        assert wanted - set(tags) == set()
