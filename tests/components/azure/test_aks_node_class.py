"""Karpenter's rules for an AKSNodeClass, before a cluster exists to apply them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.components.azure.aks_node_class import AKSNodeClass
from gpucluster.components.kubernetes.objects import Part

Refused = Callable[[type[Part], dict[str, Any]], list[str]]

SUBNET = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n"
FIPS = {"fipsMode": "FIPS"}


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"vnetSubnetID": SUBNET, "osDiskSizeGB": 30, "imageFamily": "Ubuntu2404", "maxPods": 250},
        {"vnetSubnetID": SUBNET.lower()},
        {"gpu": {"mode": "None"}},
        {"gpu": {"mode": "Driver"}, "tags": {"team": "ml"}, "security": {"encryptionAtHost": True}},
        {"kubelet": {"cpuManagerPolicy": "static", "topologyManagerPolicy": "best-effort"}},
        {"kubelet": {"imageGCHighThresholdPercent": 85, "imageGCLowThresholdPercent": 80}},
        {"kubelet": {"failSwapOn": False}, "linuxOSConfig": {"swapFileSize": "2Gi"}},
        {"linuxOSConfig": {"transparentHugePageEnabled": "madvise", "sysctls": {"vmMaxMapCount": 262144}}},
        {**FIPS, "imageFamily": "Ubuntu"},
        {**FIPS, "imageFamily": "AzureLinux"},
    ],
)
def test_what_karpenter_takes_is_taken(refused: Refused, spec: dict[str, Any]) -> None:
    assert refused(AKSNodeClass, spec) == []


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {"vnetSubnetID": "nodes"},
            "spec.vnetSubnetID is 'nodes'; allowed: /subscriptions/S/resourceGroups/G/providers/Microsoft.Network/"
            "virtualNetworks/V/subnets/N; write the subnet's id",
        ),
        ({"osDiskSizeGB": 29}, "spec.osDiskSizeGB is 29; allowed: 30 to 2048 GB; change it, as in 200"),
        ({"osDiskSizeGB": 2049}, "spec.osDiskSizeGB is 2049; allowed: 30 to 2048 GB; change it, as in 200"),
        ({"maxPods": 251}, "spec.maxPods is 251; allowed: 10 to 250; change it, as in 110"),
        ({"gpu": {"mode": "none"}}, "spec.gpu.mode is 'none'; allowed: Driver, None; write None"),
        (
            {"imageFamily": "Ubuntu2004"},
            "spec.imageFamily is 'Ubuntu2004'; allowed: Ubuntu, Ubuntu2204, Ubuntu2404, AzureLinux; write Ubuntu2404",
        ),
        (
            {"tags": {"a<b": "c"}},
            "spec.tags has the key 'a<b'; allowed: up to 512 characters, none of < > % & ? \\; change it",
        ),
        (
            {"tags": {"a": "b" * 257}},
            "spec.tags has a value of 257 characters for 'a'; allowed: up to 256; shorten it",
        ),
        (
            {"kubelet": {"imageGCHighThresholdPercent": 80, "imageGCLowThresholdPercent": 80}},
            "spec.kubelet has imageGCHighThresholdPercent 80 and imageGCLowThresholdPercent 80; allowed: the first "
            "above the second; change one",
        ),
        (
            {"linuxOSConfig": {"swapFileSize": "2Gi"}},
            "spec has linuxOSConfig.swapFileSize and not kubelet.failSwapOn false; allowed: both; set it to false",
        ),
        *(
            (
                {**FIPS, **family},
                f"spec has fipsMode FIPS with imageFamily {family.get('imageFamily')!r}; allowed: Ubuntu, AzureLinux; "
                "write one of these",
            )
            for family in ({"imageFamily": "Ubuntu2404"}, {"imageFamily": "Ubuntu2204"}, {})
        ),
    ],
)
def test_what_karpenter_refuses_is_refused(refused: Refused, spec: dict[str, Any], expected: str) -> None:
    assert refused(AKSNodeClass, spec) == [expected]
