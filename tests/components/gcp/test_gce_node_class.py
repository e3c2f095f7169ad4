"""Karpenter's rules for a GCENodeClass, before a cluster exists to apply them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.components.gcp.gce_node_class import GCENodeClass
from gpucluster.components.kubernetes.objects import Spec

Refused = Callable[[type[Spec], dict[str, Any]], list[str]]

COS = {"family": "ContainerOptimizedOS", "channel": "cluster"}
SPEC: dict[str, Any] = {"imageSelectorTerms": [COS]}
INTERFACE = {"subnetwork": "regions/us-central1/subnetworks/s"}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"imageSelectorTerms": [{"id": "projects/p/global/images/i"}]},
        {"imageSelectorTerms": [{"family": "ContainerOptimizedOS", "version": "125.19216.104.126"}]},
        {"imageSelectorTerms": [{"family": "Ubuntu2404", "version": "v20260416"}]},
        {"imageSelectorTerms": [{"family": "ContainerOptimizedOS", "version": "latest"}]},
        {"serviceAccount": "nodes@p.iam.gserviceaccount.com"},
        {"disks": [{"category": "pd-balanced", "sizeGiB": 10, "boot": True}]},
        {
            "disks": [
                {
                    "category": "hyperdisk-balanced",
                    "sizeGiB": 200,
                    "provisionedIOPS": 3000,
                    "provisionedThroughput": 140,
                }
            ]
        },
        {"networkConfig": {"enablePrivateNodes": True, "additionalNetworkInterfaces": [INTERFACE] * 7}},
        {"labels": {"team": "ml"}, "metadata": {"disable-legacy-endpoints": "true"}, "networkTags": ["gpu"]},
        {"gpuDriverVersion": "latest", "autoGPUTaint": True, "shieldedInstanceConfig": {"enableSecureBoot": True}},
    ],
)
def test_what_karpenter_takes_is_taken(refused: Refused, more: dict[str, Any]) -> None:
    assert refused(GCENodeClass, {**SPEC, **more}) == []


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (
            {"networkConfig": {"additionalNetworkInterfaces": [INTERFACE] * 8}},
            "spec.networkConfig.additionalNetworkInterfaces is a list; allowed: up to 7 interfaces; change it, as in "
            "[]",
        ),
        (
            {"networkConfig": {"additionalNetworkInterfaces": [{"network": "n"}]}},
            "spec.networkConfig.additionalNetworkInterfaces[0].subnetwork is missing; allowed: text that is not empty; "
            "add it",
        ),
        ({"imageSelectorTerms": []}, "spec.imageSelectorTerms is a list; allowed: 1 to 30 terms; change it"),
        (
            {"imageSelectorTerms": [{}]},
            "spec.imageSelectorTerms[0] has neither id nor family; allowed: exactly one of them; add one",
        ),
        (
            {"imageSelectorTerms": [{"id": "i", **COS}]},
            "spec.imageSelectorTerms[0] has id and family; allowed: exactly one of them; remove one",
        ),
        (
            {"imageSelectorTerms": [{"family": "ContainerOptimizedOS"}]},
            "spec.imageSelectorTerms[0] has neither channel nor version; allowed with family: exactly one of them; "
            "add one",
        ),
        (
            {"imageSelectorTerms": [{"id": "i", "version": "latest"}]},
            "spec.imageSelectorTerms[0] has channel or version without family; allowed: with family only; add family",
        ),
        (
            {"imageSelectorTerms": [{"family": "Ubuntu2404", "channel": "regular"}]},
            "spec.imageSelectorTerms[0] has channel with family 'Ubuntu2404'; allowed: with ContainerOptimizedOS "
            "only; use "
            "version",
        ),
        (
            {"imageSelectorTerms": [{"family": "ContainerOptimizedOS", "version": "125"}]},
            "spec.imageSelectorTerms[0] has version '125'; allowed for ContainerOptimizedOS: latest or four numbers, "
            "as in "
            "125.19216.104.126; change it",
        ),
        (
            {"imageSelectorTerms": [{"family": "Ubuntu2204", "version": "22.04"}]},
            "spec.imageSelectorTerms[0] has version '22.04'; allowed for Ubuntu2204: latest or a day, as in v20260416; "
            "change it",
        ),
        (
            {"imageSelectorTerms": [COS, {"family": "ContainerOptimizedOS", "version": "latest"}]},
            "spec has imageSelectorTerms by channel and of version latest; allowed: one of them; remove one",
        ),
        (
            {"serviceAccount": "nodes"},
            "spec.serviceAccount is 'nodes'; allowed: the e-mail address of a service account; change it",
        ),
        (
            {"disks": [{"category": "pd-balanced", "sizeGiB": 9}]},
            "spec.disks[0].sizeGiB is 9; allowed: 10 GiB or more; change it, as in 200",
        ),
        (
            {"disks": [{"category": "local-ssd", "sizeGiB": 375}]},
            "spec.disks[0].category is 'local-ssd'; allowed: hyperdisk-balanced, hyperdisk-balanced-high-availability, "
            "hyperdisk-extreme, hyperdisk-ml, hyperdisk-throughput, pd-balanced, pd-extreme, pd-ssd, pd-standard; "
            "write "
            "one of these",
        ),
        (
            {"disks": [{"category": "pd-ssd", "sizeGiB": 100, "provisionedIOPS": 3000}]},
            "spec.disks[0] has provisionedIOPS with category 'pd-ssd'; allowed with provisionedIOPS: pd-extreme, "
            "hyperdisk-balanced, hyperdisk-balanced-high-availability, hyperdisk-extreme; remove one",
        ),
        (
            {"disks": [{"category": "hyperdisk-balanced", "sizeGiB": 100, "provisionedIOPS": 3000}]},
            "spec.disks[0] has one of provisionedIOPS and provisionedThroughput; allowed with hyperdisk-balanced: "
            "both or "
            "neither; add or remove one",
        ),
        (
            {"labels": {"karpenter.sh/nodepool": "p"}},
            "spec.labels has 'karpenter.sh/nodepool'; allowed: keys Karpenter does not set; remove them",
        ),
        (
            {"metadata": {"startup-script": "true"}},
            "spec.metadata has 'startup-script'; allowed: keys GKE does not set; remove them",
        ),
        (
            {"networkTags": ["GPU"]},
            "spec.networkTags[0] is 'GPU'; allowed: up to 20 tags, each 1 to 63 lower-case letters, digits and "
            "hyphens, a "
            "letter first; change it",
        ),
        (
            {"gpuDriverVersion": "defualt"},
            "spec.gpuDriverVersion is 'defualt'; allowed: default, latest, disabled; write default",
        ),
        (
            {"reservations": []},
            "spec.reservations is not a field; allowed: autoGPUTaint, confidentialInstanceType, disks, "
            "gpuDriverVersion, "
            "imageFamily, imageSelectorTerms, kubeletConfiguration, labels, metadata, networkConfig, networkTags, "
            "serviceAccount, shieldedInstanceConfig, subnetRangeName; remove it",
        ),
    ],
)
def test_a_wrong_field_is_one_line_with_value_choice_and_change(
    refused: Refused, more: dict[str, Any], expected: str
) -> None:
    assert refused(GCENodeClass, {**SPEC, **more}) == [expected]


def test_an_image_is_required(refused: Refused) -> None:
    assert refused(GCENodeClass, {}) == ["spec.imageSelectorTerms is missing; allowed: 1 to 30 terms; add it"]
