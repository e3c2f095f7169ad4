"""What GKE asks of clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError

Stage = Any
"""What the fixture `stage` gives."""


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"datapathProvider": None}, "Multi-networking requires Dataplane V2"),
        ({"datapathProvider": "LEGACY_DATAPATH"}, "Multi-networking requires Dataplane V2"),
        ({"networkPolicy": {"enabled": True}}, "DatapathProvider=ADVANCED_DATAPATH is not allowed"),
        ({"network": "gone"}, "Error 404: Network projects/p/global/networks/gone does not exist"),
        (
            {"subnetwork": "gone"},
            "Error 404: Subnetwork projects/p/regions/us-central1/subnetworks/gone does not exist",
        ),
        ({"ipAllocationPolicy": {"clusterSecondaryRangeName": "gone"}}, "has no secondary range gone"),
        (
            {"ipAllocationPolicy": {"clusterSecondaryRangeName": "pods", "servicesSecondaryRangeName": "pods"}},
            "cannot share the secondary range pods",
        ),
        ({"initialNodeCount": None}, "initial_node_count must be greater than zero"),
        ({"initialNodeCount": None, "removeDefaultNodePool": True}, "initial_node_count must be greater than zero"),
        ({"removeDefaultNodePool": True, "nodePools": [{"nodeCount": 1}]}, "exclude each other"),
        ({"removeDefaultNodePool": True, "nodeVersion": "1.35"}, "node_version can only be specified if"),
        ({"workloadIdentityConfig": {"workloadPool": "q.svc.id.goog"}}, 'pool is "p.svc.id.goog", not "q.svc'),
        ({"clusterAutoscaling": {"enabled": True}}, "requires resource limits for cpu and memory"),
        (
            {"maintenancePolicy": {"maintenanceExclusions": [{"exclusionName": "e", "startTime": "t"}]}},
            "exclusion e needs either end_time or end_time_behavior",
        ),
    ],
    ids=str,
)
def test_a_cluster_that_cannot_be_is_refused(
    make_stage: Callable[..., Stage], inputs: dict[str, Any], message: str
) -> None:
    with pytest.raises(CloudError, match=message):
        make_stage(**inputs)


@pytest.mark.parametrize(
    "inputs",
    [
        {"removeDefaultNodePool": True},
        {"ipAllocationPolicy": {"clusterSecondaryRangeName": "pods", "servicesSecondaryRangeName": "services"}},
        {"workloadIdentityConfig": {"workloadPool": "p.svc.id.goog"}},
        {"enableMultiNetworking": False, "datapathProvider": None, "networkPolicy": {"enabled": True}},
        {
            "maintenancePolicy": {
                "maintenanceExclusions": [
                    {
                        "exclusionName": "e",
                        "startTime": "t",
                        "exclusionOptions": {"scope": "s", "endTimeBehavior": "UNTIL_END_OF_SUPPORT"},
                    }
                ]
            }
        },
        {
            "clusterAutoscaling": {
                "enabled": True,
                "resourceLimits": [{"resourceType": kind, "maximum": 9} for kind in ("cpu", "memory")],
            }
        },
    ],
    ids=str,
)
def test_a_cluster_that_can_be_is_made(make_stage: Callable[..., Stage], inputs: dict[str, Any]) -> None:
    assert make_stage(**inputs).cluster.id == "projects/p/locations/us-central1/clusters/c"


def test_a_cluster_is_in_the_region_and_network_of_its_subnetwork(stage: Stage) -> None:
    other = stage.create("compute/network:Network", "o", autoCreateSubnetworks=False)
    given = {"initialNodeCount": 1, "subnetwork": stage.nodes.id}
    with pytest.raises(CloudError, match=r"Subnetwork nodes-\w+ is not in network o-\w+"):
        stage.create("container/cluster:Cluster", "d", location="us-central1", network=other.id, **given)
    with pytest.raises(CloudError, match=r"is in us-central1, the cluster in us-east4"):
        stage.create("container/cluster:Cluster", "d", location="us-east4", network=stage.vpc.id, **given)
