from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest

from gpucluster.errors import InputError
from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.live import node_events
from gpucluster.sandbox.live.commands.node import rows, state_of

EVERYWHERE = {"dcgmAgent": {"tolerations": [{"operator": "Exists"}]}}


class Server:
    """Keeps what is asked of it. objects: what it lists."""

    def __init__(self, *objects: Mapping[str, Any]) -> None:
        self.objects = objects
        self.asked: list[tuple[str, Any]] = []

    def patch(self, document: object, change: object, *, part: str = "", merge: str = "merge") -> None:
        del document, merge
        self.asked.append((part or "itself", change))

    def list(self, version: str, kind: str) -> Sequence[Mapping[str, Any]]:
        del version
        return [found for found in self.objects if found["kind"] == kind]

    def evict(self, pod: Mapping[str, Any]) -> None:
        self.asked.append(("evict", pod["metadata"]["name"]))

    def delete(self, document: Mapping[str, Any]) -> None:
        self.asked.append(("delete", document["metadata"]["name"]))


def _node(**labels: str) -> dict[str, Any]:
    amounts = {"cpu": "8", "nvidia.com/gpu": "8"}
    named = {key.replace("__", "/").replace("_", "."): value for key, value in labels.items()}
    return {
        "kind": "Node",
        "metadata": {"name": "one", "labels": named},
        "spec": {"providerID": "aws:///one", "taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]},
        "status": {
            "capacity": amounts,
            "allocatable": dict(amounts),
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def _cluster(provider: str) -> Entry:
    return Entry(provider=provider, scope="", type="", id="c", name="c", urn="", inputs={}, outputs={})


def _pod(name: str, owner: str) -> dict[str, Any]:
    limits = {"nvidia.com/gpu": 8}
    return {
        "kind": "Pod",
        "metadata": {"name": name, "ownerReferences": [{"kind": owner}]},
        "spec": {"nodeName": "one", "containers": [{"resources": {"limits": limits}}]},
        "status": {"phase": "Running"},
    }


def test_a_kubelet_that_stops_is_no_longer_played() -> None:
    server = Server()
    node_events.fail(cast(Client, server), _node())
    assert server.asked == [("itself", {"metadata": {"labels": {"kwok.x-k8s.io/node": None}}})]


def test_maintenance_on_google_cloud_marks_the_node_and_stops_all_pods_but_those_of_every_node() -> None:
    server = Server(_pod("job", "Job"), _pod("daemon", "DaemonSet"))
    node_events.interrupt(cast(Client, server), _node(), _cluster("gcp"))
    assert server.asked == [
        (
            "itself",
            {
                "metadata": {"labels": {"cloud.google.com/active-node-maintenance": "ONGOING"}},
                "spec": {
                    "taints": [
                        {"key": "nvidia.com/gpu", "effect": "NoSchedule"},
                        {"key": "cloud.google.com/impending-node-termination", "effect": "NoSchedule"},
                    ],
                    "unschedulable": True,
                },
            },
        ),
        ("evict", "job"),
    ]


def test_karpenter_is_told_of_an_interrupted_machine_by_its_claim_that_does_not_name_its_node_yet() -> None:
    claims = [
        {"kind": "NodeClaim", "metadata": {"name": name, "labels": labels}, "status": {"providerID": f"aws:///{name}"}}
        for name, labels in (("two", {}), ("one", {"karpenter.sh/capacity-type": "spot"}))
    ]
    server = Server(*claims)
    node_events.interrupt(cast(Client, server), _node(karpenter_sh__nodepool="dev"), _cluster("aws"))
    assert server.asked == [("itself", {"metadata": {"annotations": {"gpucluster/interruption": "spot"}}})]


def test_a_machine_that_karpenter_has_let_go_is_not_interrupted() -> None:
    with pytest.raises(InputError, match=r"^one has no NodeClaim of Karpenter's any more: it is being removed; name"):
        node_events.interrupt(cast(Client, Server()), _node(karpenter_sh__nodepool="dev"), _cluster("aws"))


@pytest.mark.parametrize(
    ("provider", "condition"),
    [
        ("aws", ("AcceleratedHardwareReady", "False", "NvidiaXID79Error")),
        ("gcp", ("XidCriticalError", "True", '{"79":true}')),
        ("azure-native", ("GPUMissing", "True", "GPUMissing")),
    ],
)
def test_a_lost_gpu_is_counted_out_and_told_by_the_agent_of_the_cloud(
    provider: str, condition: tuple[str, str, str]
) -> None:
    server = Server()
    agent = _cluster(provider)
    agent.inputs.update(addonName="eks-node-monitoring-agent", configurationValues=json.dumps(EVERYWHERE))
    node_events.degrade(cast(Client, server), _node(), agent, [agent])
    [(part, change)] = server.asked
    assert (part, change["status"]["allocatable"]) == ("status", {"nvidia.com/gpu": "7"})
    [told] = change["status"]["conditions"]
    assert (told["type"], told["status"], told["reason"]) == condition


@pytest.mark.parametrize(
    ("tolerated", "broken", "reason"),
    [
        (None, False, "DCGMError"),
        (["nvidia.com/gpu"], False, "NvidiaXID79Error"),
        (["nvidia.com/gpu"], True, "DCGMError"),
        (["gpucluster/broken"], True, "DCGMError"),
        (["nvidia.com/gpu", "gpucluster/broken"], True, "NvidiaXID79Error"),
    ],
)
def test_the_agent_of_eks_sees_no_gpu_of_a_node_whose_taints_its_server_does_not_tolerate(
    tolerated: list[str] | None, broken: bool, reason: str
) -> None:
    server, agent, node = Server(), _cluster("aws"), _node()
    agent.inputs["addonName"] = "eks-node-monitoring-agent"
    if tolerated is not None:
        keys = [{"key": key, "operator": "Exists"} for key in tolerated]
        agent.inputs["configurationValues"] = json.dumps({"dcgmAgent": {"tolerations": keys}})
    node["spec"]["taints"].append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
    if broken:
        node["spec"]["taints"].append({"key": "gpucluster/broken", "value": "boot", "effect": "NoExecute"})
    node_events.degrade(cast(Client, server), node, agent, [agent])
    [(_, change)] = server.asked
    [told] = change["status"]["conditions"]
    assert (told["type"], told["status"], told["reason"]) == ("AcceleratedHardwareReady", "False", reason)


def test_a_node_without_gpus_can_lose_none() -> None:
    node = _node()
    node["status"] = {"capacity": {"cpu": "8"}, "allocatable": {"cpu": "8"}}
    with pytest.raises(InputError, match="one has no GPU that works; choose a node with GPUs"):
        node_events.degrade(cast(Client, Server()), node, _cluster("gcp"), [])


def test_a_repair_undoes_what_was_done_to_a_node_and_its_boot_is_another() -> None:
    node = _node()
    node["status"]["allocatable"]["nvidia.com/gpu"] = "7"
    node["status"]["conditions"].append({"type": "XidCriticalError", "status": "True"})
    node["spec"]["taints"].append({"key": "cloud.google.com/impending-node-termination", "effect": "NoSchedule"})
    server = Server()
    node_events.repair(cast(Client, server), node, _cluster("gcp"), [])
    (_, status), (_, change) = server.asked
    assert status["status"]["allocatable"] == {"nvidia.com/gpu": "8"}
    assert status["status"]["conditions"] == [{"type": "XidCriticalError", "$patch": "delete"}]
    assert len(status["status"]["nodeInfo"]["bootID"]) == 36
    assert change == {
        "metadata": {"labels": {"cloud.google.com/active-node-maintenance": None, "kwok.x-k8s.io/node": "fake"}},
        "spec": {"taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]},
    }


def test_the_state_of_a_node_says_all_that_is_wrong_with_it() -> None:
    node = _node()
    assert state_of(node) == "Ready"
    node["spec"]["unschedulable"] = True
    node["status"]["conditions"] = [
        {"type": "Ready", "status": "Unknown"},
        {"type": "AcceleratedHardwareReady", "status": "False"},
        {"type": "KernelReady", "status": "True"},
        {"type": "MemoryPressure", "status": "False"},
    ]
    node["status"]["allocatable"]["nvidia.com/gpu"] = "7"
    assert state_of(node) == "Unreachable, cordoned, AcceleratedHardwareReady, 7 of 8 nvidia.com/gpu work"


def test_a_row_counts_the_gpus_of_pods_that_have_not_ended() -> None:
    ended = _pod("ended", "Job")
    ended["status"]["phase"] = "Succeeded"
    [row] = rows([_node()], [_pod("job", "Job"), ended])
    assert (row["gpus"], row["pods"]) == ("8/8", 1)
