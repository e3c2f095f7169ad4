"""One domain for every node and spare, by the labels of each cloud."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.core.text.typed import Source
from gpucluster.errors import InputError
from gpucluster.operate.acceptance.verdicts import topology
from gpucluster.operate.acceptance.verdicts.topology import judge_topology, nodes_of
from tests.says import Says

AWS = "topology.k8s.aws/network-node-layer-"
GCP = "cloud.google.com/gce-topology-"
SET = "azure:///subscriptions/s/resourceGroups/mc/providers/Microsoft.Compute/virtualMachineScaleSets/"


def node(name: str, machine: str, zone: str, provider: str = "", **labels: str) -> dict[str, Any]:
    own = {
        "gpucluster/pool": "training",
        "node.kubernetes.io/instance-type": machine,
        "topology.kubernetes.io/zone": zone,
        **labels,
    }
    return {"kind": "Node", "metadata": {"name": name, "labels": own}, "spec": {"providerID": provider}}


def p5(name: str, *layers: str, zone: str = "us-east-1a") -> dict[str, Any]:
    return node(name, "p5.48xlarge", zone, **{f"{AWS}{index}": layer for index, layer in enumerate(layers, start=1)})


def mega(name: str, block: str, subblock: str) -> dict[str, Any]:
    return node(
        name, "a3-megagpu-8g", "us-central1-a", **{f"{GCP}block": block, f"{GCP}subblock": subblock, f"{GCP}host": name}
    )


def nd(name: str, scale_set: str) -> dict[str, Any]:
    return node(name, "Standard_ND96isr_H100_v5", "eastus-1", f"{SET}{scale_set}/virtualMachines/0")


def judged(*items: dict[str, Any], expected: int | None = None) -> list[tuple[str, str, str, tuple[str, ...]]]:
    verdicts = judge_topology(nodes_of({"items": list(items)}, Source(name="nodes.json")), expected=expected)
    return [(verdict.check, verdict.outcome, verdict.why, verdict.nodes) for verdict in verdicts]


def test_nodes_under_one_spine_share_their_narrowest_common_layer() -> None:
    assert judged(p5("a", "nn-1", "nn-2", "nn-3"), p5("b", "nn-1", "nn-2", "nn-4")) == [
        ("one zone", "pass", "all share zone us-east-1a", ()),
        ("network domain", "pass", "all share network-node-layer-2 nn-2", ()),
    ]


def test_a_spare_under_another_spine_is_named() -> None:
    found = judged(p5("a", "nn-1"), p5("b", "nn-1"), p5("spare", "nn-9"), expected=3)

    assert found == [
        ("nodes and spares", "pass", "all are there", ()),
        ("one zone", "pass", "all share zone us-east-1a", ()),
        ("network domain", "fail", Says("network-node-layer-1", "nn-1", "not", "nn-9"), ("spare",)),
    ]


def test_a_missing_node_fails() -> None:
    assert judged(p5("a", "nn-1"), expected=2)[0] == (
        "nodes and spares",
        "fail",
        "the number of nodes differs from the spec",
        (),
    )


def test_a_node_in_another_zone_fails() -> None:
    assert judged(p5("a", "nn-1"), p5("b", "nn-1", zone="us-east-1b"))[0][1:] == (
        "fail",
        Says("us-east-1a", "not", "us-east-1b"),
        ("b",),
    )


def test_nodes_without_the_label_cannot_be_told() -> None:
    assert judged(p5("a", "nn-1"), p5("b"))[1][1:] == (
        "cannot tell",
        Says("no", f"{AWS}1", "machine", "purchase", "not"),
        ("b",),
    )


def test_a_block_is_the_domain_on_google_cloud() -> None:
    assert judged(mega("a", "block-1", "sub-1"), mega("b", "block-1", "sub-2"))[1][:3] == (
        "network domain",
        "pass",
        "all share gce-topology-block block-1",
    )


def test_a_scale_set_is_the_domain_on_azure() -> None:
    assert judged(nd("a", "aks-training-1-vmss"), nd("b", "AKS-training-1-VMSS"))[1][:3] == (
        "network domain",
        "pass",
        "all share scale set aks-training-1-vmss",
    )
    assert judged(nd("a", "aks-training-1-vmss"), nd("b", "aks-more-2-vmss"))[1][1] == "fail"


def test_other_pools_are_left_out() -> None:
    other = p5("elastic", "nn-9")
    other["metadata"]["labels"]["gpucluster/pool"] = "elastic"

    assert judged(p5("a", "nn-1"), other)[1][2] == "all share network-node-layer-1 nn-1"


def test_a_cluster_without_training_nodes_cannot_be_told() -> None:
    assert judge_topology([])[0].outcome == "cannot tell"


@pytest.mark.parametrize(
    "listed",
    [[], {}, {"items": {}}, {"items": ["a"]}, {"items": [{"kind": "Pod"}]}, None, {"items": [{"metadata": 5}]}],
)
def test_what_is_no_list_of_nodes_is_refused(listed: object) -> None:
    with pytest.raises(InputError, match=r"^nodes.json: .*\n.*; give the nodes"):
        nodes_of(listed, Source(name="nodes.json", fix="give the nodes"))


def test_a_cloud_whose_labels_nobody_wrote_down_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(topology._LAYERS, "aws")
    with pytest.raises(
        InputError,
        match=r"cloud 'aws': labels of network domains \(gpucluster/operate/acceptance/verdicts/topology.py\)",
    ):
        judged(p5("one", "a"))
