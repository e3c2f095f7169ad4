"""GKE's rules for device networks, before a cluster exists to apply them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from gpucluster.components.gcp.network_objects import GKENetworkParamSet, Network
from gpucluster.components.kubernetes.objects import Spec, custom_object
from gpucluster.components.plan import PlanError

Refused = Callable[[type[Spec], dict[str, Any]], list[str]]

PARAMETERS: dict[str, Any] = {"vpc": "trial-gpu-0", "vpcSubnet": "trial-gpu-0", "deviceMode": "NetDevice"}
NETWORK: dict[str, Any] = {
    "type": "Device",
    "parametersRef": {"group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": "vpc1"},
}
NAME = "the name of one, not a link: 1 to 63 lower-case letters, digits and hyphens, a letter first"


@pytest.mark.parametrize(
    ("model", "spec"),
    [
        (GKENetworkParamSet, PARAMETERS),
        (GKENetworkParamSet, {**PARAMETERS, "deviceMode": "RDMA"}),
        (GKENetworkParamSet, {**PARAMETERS, "vpc": "a" * 63}),
        (Network, NETWORK),
    ],
)
def test_what_gke_takes_is_taken(refused: Refused, model: type[Spec], spec: dict[str, Any]) -> None:
    assert refused(model, spec) == []


@pytest.mark.parametrize(
    ("model", "spec", "expected"),
    [
        (
            GKENetworkParamSet,
            {"vpcSubnet": "s", "deviceMode": "RDMA"},
            [f"spec.vpc is missing; allowed: {NAME}; add it, as in trial-gpu-0"],
        ),
        (
            GKENetworkParamSet,
            {"vpc": "v", "deviceMode": "RDMA"},
            [f"spec.vpcSubnet is missing; allowed: {NAME}; add it, as in trial-gpu-0"],
        ),
        (
            GKENetworkParamSet,
            {**PARAMETERS, "vpc": "projects/p/global/networks/v"},
            [f"spec.vpc is 'projects/p/global/networks/v'; allowed: {NAME}; change it, as in trial-gpu-0"],
        ),
        (
            GKENetworkParamSet,
            {**PARAMETERS, "vpcSubnet": "a" * 64},
            [f"spec.vpcSubnet is '{'a' * 64}'; allowed: {NAME}; change it, as in trial-gpu-0"],
        ),
        (
            GKENetworkParamSet,
            {**PARAMETERS, "deviceMode": "Rdma"},
            ["spec.deviceMode is 'Rdma'; allowed: NetDevice, RDMA; write RDMA"],
        ),
        (
            GKENetworkParamSet,
            {**PARAMETERS, "subnet": "s"},
            ["spec.subnet is not a field; allowed: deviceMode, vpc, vpcSubnet; write vpcSubnet"],
        ),
        (Network, {**NETWORK, "type": "L3"}, ["spec.type is 'L3'; allowed: Device; write one of these"]),
        (
            Network,
            {"type": "Device", "parametersRef": {"group": "networking.gke.io", "kind": "GKENetworkParamSet"}},
            ["spec.parametersRef.name is missing; allowed: text that is not empty; add it"],
        ),
        (
            Network,
            {"type": "Device", "parametersRef": {**NETWORK["parametersRef"], "group": "network.gke.io"}},
            ["spec.parametersRef.group is 'network.gke.io'; allowed: networking.gke.io; write networking.gke.io"],
        ),
    ],
)
def test_a_wrong_field_is_one_line(
    refused: Refused, model: type[Spec], spec: dict[str, Any], expected: list[str]
) -> None:
    assert refused(model, spec) == expected


@pytest.mark.parametrize("model", [GKENetworkParamSet, Network])
def test_a_name_of_41_characters_is_taken(model: type[Spec]) -> None:
    assert model.name_problem("a" * 41) is None


@pytest.mark.parametrize(("model", "spec"), [(GKENetworkParamSet, PARAMETERS), (Network, NETWORK)])
def test_a_name_of_42_characters_is_refused_before_anything_is_registered(
    model: type[Spec], spec: dict[str, Any]
) -> None:
    name = "a" * 42
    with pytest.raises(PlanError) as refusal:
        custom_object("n", model, spec, object_name=name, labels={}, opts=pulumi.ResourceOptions())
    assert tuple(map(str, refusal.value.problems)) == (
        f"{model.kind} {name}: metadata.name is {name!r}; allowed: 1 to 41 lower-case letters, digits, dots and "
        "hyphens, "
        "with a letter or digit at both ends; change it",
    )
