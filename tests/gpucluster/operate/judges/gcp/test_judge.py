"""The judge of pulumi-gcp: Google's discovery documents."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.operate.judges.gcp.judge import JUDGE
from gpucluster.operate.judges.verdicts import Outcome, Remark, Verdict
from tests.cases import cases
from tests.gpucluster.operate.judges.conftest import resources

CLUSTER = "gcp:container/cluster:Cluster"
POOL = "gcp:container/nodePool:NodePool"
NETWORK = "gcp:compute/network:Network"


def verdict(type_: str, inputs: dict[str, Any]) -> Verdict:
    stack = resources(it=(type_, inputs))
    (found,) = JUDGE.judge([*stack], stack)
    return found


@pytest.mark.parametrize(
    ("type_", "inputs"),
    [
        (NETWORK, {"name": "a-name", "routingMode": "REGIONAL", "mtu": 8896}),
        (NETWORK, {"routingMode": "${it}", "mtu": "1500"}),
        (POOL, {"nodeConfig": {"labels": {"a": "b"}, "taints": [{"effect": "NO_SCHEDULE", "key": "k"}]}}),
        (POOL, {"nodeConfig": {"kubeletConfig": {"insecureKubeletReadonlyPortEnabled": "FALSE"}, "diskType": ""}}),
        (POOL, {"nodeConfig": {"maxRunDuration": "604800s"}}),
        ("gcp:kms/cryptoKey:CryptoKey", {"purpose": "ENCRYPT_DECRYPT", "rotationPeriod": "7776000s"}),
    ],
)
def test_what_the_documents_take_is_accepted(type_: str, inputs: dict[str, Any]) -> None:
    found = verdict(type_, inputs)
    assert (found.outcome, found.refusals, found.left) == (Outcome.ACCEPTED, (), ())


TEMPLATE: dict[str, Any] = {
    "machineType": "a3-highgpu-8g",
    "canIpForward": True,
    "disks": [
        {"boot": True, "sourceImage": "debian-12", "diskSizeGb": 100, "labels": {"a": "b"}, "mode": "READ_WRITE"}
    ],
    "guestAccelerators": [{"type": "nvidia-h100-80gb", "count": 8}],
    "networkInterfaces": [{"network": "n", "nicType": "GVNIC", "accessConfigs": [{"networkTier": "PREMIUM"}]}],
    "reservationAffinity": {"type": "SPECIFIC_RESERVATION"},
    "scheduling": {"onHostMaintenance": "TERMINATE", "automaticRestart": True, "provisioningModel": "STANDARD"},
    "serviceAccount": {"email": "a", "scopes": ["b"]},
    "shieldedInstanceConfig": {"enableVtpm": True},
    "tags": ["a"],
}
MANAGER: dict[str, Any] = {
    "baseInstanceName": "a",
    "versions": [{"instanceTemplate": "t", "targetSize": {"percent": 20}}],
    "targetSize": 4,
    "autoHealingPolicies": {"healthCheck": "h", "initialDelaySec": 300},
    "updatePolicy": {"type": "PROACTIVE", "minimalAction": "REPLACE", "maxSurgeFixed": 0, "maxUnavailablePercent": 20},
    "standbyPolicy": {"mode": "MANUAL", "initialDelaySec": 50},
}


@pytest.mark.parametrize("kind", ["instance", "regionInstance"])
def test_templates_and_managed_groups_are_judged(kind: str) -> None:
    upper = kind[0].upper() + kind[1:]
    template, manager = (
        f"gcp:compute/{kind}Template:{upper}Template",
        f"gcp:compute/{kind}GroupManager:{upper}GroupManager",
    )
    for type_, good in ((template, TEMPLATE), (manager, MANAGER)):
        found = verdict(type_, good)
        assert (found.outcome, found.refusals, found.left) == (Outcome.ACCEPTED, (), ())
    bad = {
        "networkInterfaces": [{"nicType": "GVNICC"}],
        "reservationAffinity": {"type": "SPECIFIC"},
        "scheduling": {"provisioningModel": "SPOTT"},
    }
    assert [remark.path for remark in verdict(template, {**TEMPLATE, **bad}).refusals] == [
        "networkInterfaces[0].nicType",
        "reservationAffinity.type",
        "scheduling.provisioningModel",
    ]
    wrong = {"targetSize": "many", "updatePolicy": {"type": "PROACTIVE", "maxSurgeFixed": "x"}}
    assert [remark.path for remark in verdict(manager, {**MANAGER, **wrong}).refusals] == [
        "targetSize",
        "updatePolicy.maxSurgeFixed",
    ]


@cases
def test_what_they_do_not_take_is_refused_at_its_input(type_: str, inputs: Any, path: str, said: str) -> None:
    assert verdict(type_, inputs).refusals == (Remark(path, said),)


def test_what_is_deprecated_is_advice_with_what_to_use_instead() -> None:
    found = verdict(CLUSTER, {"privateClusterConfig": {"enablePrivateNodes": True}})
    assert (found.outcome, found.advice) == (
        Outcome.ACCEPTED,
        (
            Remark(
                "privateClusterConfig.enablePrivateNodes",
                "Deprecated: Use NetworkConfig.default_enable_private_nodes instead.",
            ),
        ),
    )


def test_what_no_document_names_is_left_and_a_type_without_a_row_is_not_judged() -> None:
    assert verdict(NETWORK, {"quantum": True, "project": "p"}).left == ("quantum", "project")
    assert (
        verdict("gcp:lustre/instance:Instance", {}).why
        == "gpucluster/operate/judges/gcp/types.csv has no row for its type"
    )
