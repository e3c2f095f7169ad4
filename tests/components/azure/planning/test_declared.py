"""The types that a plan asks rights for, and the providers that must be registered, are those of its program."""

from __future__ import annotations

import pytest

from gpucluster.components.azure.cloud import CLOUD
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.operate.account.rights.azure import rights_of
from tests.components.recorded import TRIAL, chosen, location, plan_of

# Specs that together declare every type, and lack every one that can be missing.
SPECS = (
    "driver-of-aks",
    "elastic-spot",
    "existing",
    "linked-container",
    "mig-telemetry",
    "own-bucket-teams",
    "private",
)
_ALWAYS_REGISTERED = {"authorization", "resources"}


@pytest.mark.parametrize("name", SPECS)
def test_a_plan_asks_about_the_types_that_it_declares(name: str) -> None:
    given = chosen("azure", name)
    spec = ClusterSpec.model_validate({**TRIAL, **given.get("changes", {})})
    asked = CLOUD.plan_cluster(spec, location("azure", given.get("place", {})), "azure-trial", None).facts.questions
    declared = {one for one in plan_of("azure", name).types.values() if one.startswith("azure-native:")}
    [types] = [one.details["types"].split() for one in asked if one.details.get("types")]
    assert ({*types}, [one for one in declared if rights_of(one) is None]) == (declared, [])
    services = {one.split(":")[1] for one in declared} - _ALWAYS_REGISTERED
    deciding = {one.subject.partition(".")[2].lower() for one in asked if one.about == "provider" and one.decides}
    # AKS itself creates machines and a network's parts; Microsoft.Insights serves most types of `monitor`.
    assert deciding == services | {"compute", "network", "insights"}
