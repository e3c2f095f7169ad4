"""The registry of a cluster: its own, the user's, or none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.components.cluster.cloud import CLOUDS, cloud_of
from gpucluster.components.shared.registry import RegistryPlan
from tests.components.conftest import Vary
from tests.components.told import refused

ECR = "123456789012.dkr.ecr.us-east-1.amazonaws.com/team/training"
ARTIFACTS = "us-central1-docker.pkg.dev/images-of-all/training"
SUBSCRIPTION = "/subscriptions/00000000-0000-0000-0000-000000000000"
ACR = f"{SUBSCRIPTION}/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/TeamImages"
OWN = {"aws": "trial-ef26", "gcp": "trial-dev", "azure": "trial524b7479fa"}
Planned = Callable[..., Any]


@pytest.fixture
def planned(vary: Vary) -> Planned:
    def plan(cloud: str, **changes: Any) -> Any:
        known = cloud_of(cloud)
        location, problems = known.locate(known.keys)
        assert problems == []
        return known.plan_cluster(vary(**changes), location, "dev", None, None)

    return plan


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_cluster_has_a_registry_of_its_own_with_caches_unless_the_spec_says_otherwise(
    cloud: str, planned: Planned
) -> None:
    assert planned(cloud).registry == RegistryPlan(name=OWN[cloud], caches=True)
    assert planned(cloud, registry={"kind": "none"}).registry is None


@pytest.mark.parametrize(("cloud", "id_"), [("aws", ECR), ("gcp", ARTIFACTS), ("azure", ACR)])
def test_one_that_exists_is_taken_as_it_is(cloud: str, id_: str, planned: Planned) -> None:
    found = planned(cloud, registry={"kind": "existing", "id": id_}).registry
    assert found == RegistryPlan(name=OWN[cloud], existing=id_, caches=False)


LOOKS = {
    "aws": "the URI of an ECR repository, such as 123456789012.dkr.ecr.us-east-1.amazonaws.com/training",
    "gcp": "the path of an Artifact Registry repository, such as us-central1-docker.pkg.dev/my-project/training",
    "azure": "the resource id of a container registry, /subscriptions/.../providers/Microsoft.ContainerRegistry/"
    "registries/NAME (`az acr show --name NAME --query id`)",
}


@pytest.mark.parametrize(
    ("cloud", "id_"), [("aws", ARTIFACTS), ("aws", ECR.split("/")[0]), ("gcp", ECR), ("azure", "teamimages.azurecr.io")]
)
def test_one_that_the_cloud_can_not_have_is_refused(cloud: str, id_: str, vary: Vary) -> None:
    spec = vary(registry={"kind": "existing", "id": id_})
    problems = refused(cloud, spec)
    assert problems == [f"registry.id is {id_!r}; write {LOOKS[cloud]}"]


def test_a_network_without_a_way_out_has_no_caches_on_aws(planned: Planned) -> None:
    closed = {"kind": "private", "via": "inside", "egress": "none", "registry": "registry.example/mirror"}
    assert planned("aws", access=closed).registry == RegistryPlan(name=OWN["aws"], caches=False)
    assert planned("gcp", access=closed).registry == RegistryPlan(name=OWN["gcp"], caches=True)
