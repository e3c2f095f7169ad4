"""The charts of a cluster on AWS, and where the device plugins among them run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from pulumi.runtime.mocks import MockResourceArgs

Register = Callable[..., dict[str, MockResourceArgs]]


@pytest.fixture(scope="module")
def seen(register: Register) -> dict[str, MockResourceArgs]:
    """The trial cluster's registrations by name."""
    return register()


def test_the_charts_of_a_cluster_are_these_and_no_others(seen: dict[str, MockResourceArgs]) -> None:
    """Karpenter's definitions by a chart of their own: its main chart never updates them."""
    releases = {
        name: (args.inputs["chart"].rpartition("/")[2], args.inputs["version"], args.inputs["skipCrds"])
        for name, args in seen.items()
        if args.typ == "kubernetes:helm.sh/v3:Release"
    }
    assert releases == {
        "trial-gpu-exporter-dcgm": ("dcgm-exporter", "4.8.2", False),
        "trial-devices-nvidia": ("nvidia-device-plugin", "0.18.2", False),
        "trial-devices-efa": ("aws-efa-k8s-device-plugin", "v0.5.30", False),
        "trial-jobs-software-kueue": ("kueue", "0.19.2", False),
        "trial-jobs-software-jobset": ("jobset", "0.12.0", False),
        "trial-jobs-software-trainer": ("kubeflow-trainer", "2.3.0", False),
        "trial-elastic-karpenter-crd": ("karpenter-crd", "1.14.1", False),
        "trial-elastic-karpenter": ("karpenter", "1.14.1", True),
    }


def test_the_plugins_run_on_every_tainted_node_that_has_their_device(seen: dict[str, MockResourceArgs]) -> None:
    training = seen["trial-training-nodes"].inputs
    elastic = seen["trial-elastic-dev-pool"].inputs["spec"]["template"]
    effects = {"NO_SCHEDULE": "NoSchedule"}
    nodes: dict[str, tuple[Mapping[str, str], list[dict[str, Any]]]] = {
        "training": (
            training["labels"],
            [{**taint, "effect": effects[taint["effect"]]} for taint in training["taints"]],
        ),
        "elastic": (elastic["metadata"]["labels"], elastic["spec"]["taints"]),
        "system": (seen["trial-system-nodes"].inputs["labels"], seen["trial-system-nodes"].inputs.get("taints", [])),
    }

    def runs_on(plugin: str) -> list[str]:
        values = seen[plugin].inputs["values"]
        return [
            pool
            for pool, (labels, taints) in nodes.items()
            if values["nodeSelector"].items() <= dict(labels).items()
            and all(any(_tolerates(item, taint) for item in values["tolerations"]) for taint in taints)
        ]

    assert all(nodes[pool][1] for pool in ("training", "elastic"))
    assert runs_on("trial-devices-nvidia") == ["training", "elastic"]
    # The single-GPU machines are started without EFA, and the plugin fails on a node that has none.
    assert runs_on("trial-devices-efa") == ["training"]


def _tolerates(toleration: Mapping[str, str], taint: Mapping[str, str]) -> bool:
    if toleration.get("effect") not in (None, taint["effect"]) or toleration["key"] != taint["key"]:
        return False
    return toleration.get("operator") == "Exists" or toleration.get("value") == taint["value"]
