"""Stacks that were built by an earlier release, previewed by the program of today.

`standing/` has what was in the states of the three trials after `up`: the resources of `gpucluster sandbox pulumi stack
export --show-secrets`, without times and lines of the program. They are not recorded anew: they stand for users'
clusters. Ids that the sandbox of then made up, those of Google's keys and service identities, are as Google gives them.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from tests.stacks.conftest import Project

pytestmark = [pytest.mark.engine, pytest.mark.core]

_LABELS = ("cost-center", "environment", "owner", "project", "team")
_ADDONS = (
    "control-plane-kube-proxy",
    "control-plane-pod-identity",
    "control-plane-vpc-cni",
    "storage-csi",
    "system-coredns",
    "system-node-monitoring",
)
# What takes jobs off broken nodes, and GPU-hours by namespace.
_NODE_HEALTH = {
    "trial-node-health": "create",
    **{
        f"trial-node-health-{part}": "create"
        for part in ("account", "binding", "files", "namespace", "network", "program", "quota", "role")
    },
    "trial-telemetry-dashboard-use": "update",
    "trial-telemetry-dashboard-queue": "create",
    "trial-telemetry-dashboard-cost": "update",  # the title of a panel
}
# Kueue 0.19, JobSet 0.12 and Trainer 2.2, with what belongs to them: docs/operate/upgrading-jobs.md.
_JOBS = {
    **{f"trial-jobs-software-{part}": "update" for part in ("kueue", "jobset", "trainer")},
    **{f"trial-jobs-{runtime}-runtime": "update" for runtime in ("training", "training-mpi", "single-gpu")},
    **{f"trial-jobs-{pool}-cluster-queue": "update" for pool in ("training", "dev")},
    **{f"trial-jobs-{priority}-priority": "update" for priority in ("low", "medium", "high")},
    "trial-jobs-rules-training-jobs": "update",
    "trial-jobs-rules-gpu-pods": "create",
    "trial-jobs-rules-gpu-pods-binding": "create",
    "trial-jobs-rules-several-nodes": "create",
    "trial-jobs-rules-several-nodes-binding": "create",
    **{f"trial-jobs-{pool}-flavor": "update" for pool in ("training", "dev")},  # labels of the machine, for its price
    # How long jobs have waited; its port is open, so another policy takes the place of the one that closed all.
    "trial-telemetry-jobs": "create",
    "trial-telemetry-ports": "create",
    "trial-telemetry-network": "delete",
}
# A registry for images of jobs, and caches of public ones.
_REGISTRY = {
    "trial-registry": "create",
    **{f"trial-registry-{part}": "create" for part in ("jobs", "ecr", "k8s", "quay")},
}
# A log group, who writes to it and the role of that.
_POD_LOGS = {
    "trial-logs": "create",
    **{f"trial-logs-{part}": "create" for part in ("account", "daemon", "group", "role", "settings")},
    **{f"trial-logs-role-{part}": "create" for part in ("association", "policy")},
}
CHANGES: dict[str, dict[str, str]] = {
    "aws-trial": {
        **_JOBS,
        "trial-kubernetes": "update",  # changes ConfigMaps in place
        "aws": "update",  # bound to an account
        "trial": "update",  # its notes; nodes may start anew
        **{f"trial-{name}": "update" for name in _ADDONS},  # their versions are pinned; the agent sees GPUs
        # Labels of machines that start from now on.
        **{f"trial-{pool}-label-{label}": "create" for pool in ("system", "training") for label in _LABELS},
        "trial-training": "update",  # says what forces new nodes
        "trial-jobs-software-kueue-critical": "create",
        # The setup of machines that Karpenter starts from now on; training nodes keep theirs until they roll.
        "trial-elastic-class": "update",
        **{f"trial-elastic-karpenter{part}": "update" for part in ("", "-crd")},  # 1.15
        # Counters of PCIe, and how many samples they make.
        "trial-gpu-exporter-dcgm": "update",
        **{f"trial-devices-{plugin}": "update" for plugin in ("efa", "nvidia")},  # 0.19; stay on broken nodes
        "trial-monitoring-workspace": "update",
        "trial-telemetry-dashboard-fabric": "update",
        "trial-monitoring-scraper": "update",  # reads what tells of broken nodes
        "trial-monitoring-rules": "update",  # a runbook names its command anew
        **_NODE_HEALTH,
        "trial-training-nodes": "update",  # what EKS repairs nothing for, and how much at a time
        # The registry, and what nodes need to fill its caches.
        "trial-registry": "create",
        **{f"trial-registry-{part}": "create" for part in ("jobs", "jobs-lifecycle", "template")},
        **{f"trial-registry-cache-{short}": "create" for short in ("ecr", "k8s", "quay")},
        **{f"trial-registry-{pool}-caches": "create" for pool in ("system", "training", "elastic")},
        # Volumes for claims without a class.
        "trial-block-storage": "create",
        **{f"trial-block-storage-{part}": "create" for part in ("class", "driver", "role")},
        **{f"trial-block-storage-role-{part}": "create" for part in ("association", "policy")},
        **_POD_LOGS,
    },
    "gcp-trial": {
        **_JOBS,
        "trial-monitoring-jobs": "create",
        "trial-kubernetes": "update",  # changes ConfigMaps in place
        "trial-jobs-rules-training-pods": "update",  # how it says what it refuses
        "trial-network-private-services": "update",  # can be removed while a service still holds it
        "trial-api-dns": "create",
        "trial-control-plane-cluster": "update",  # Cloud DNS
        "trial-kube-dns": "create",
        "trial-system-nodes": "update",  # scaled
        "trial-network-nat": "update",  # ports as they are needed
        # Rights to machines, for its own alone.
        "trial-elastic-karpenter-account-role": "update",
        "trial-elastic-karpenter-account-machines-role": "create",
        "trial-elastic-karpenter-account-machines": "create",
        "trial": "update",  # says which images of jobs load the fabric
        "trial-fabric-installer": "update",  # the release of the fabric: plugin, daemon
        # Counters of PCIe, and how many samples they make.
        "trial-monitoring-gpus-dcgm": "update",
        "trial-telemetry-dashboard-fabric": "update",
        "trial-training": "update",
        "trial-jobs-software-kueue-critical": "create",
        "trial-monitoring-rules": "update",
        "trial-monitoring-node-health": "create",
        # What queues jobs is read, by a token for each that asks for one.
        **{f"trial-monitoring-{part}": "create" for part in ("kueue", "jobset", "trainer", "karpenter")},
        **{
            f"trial-monitoring-{part}-{token}": "create"
            for part in ("kueue", "jobset")
            for token in ("reader", "token", "reads-metrics", "token-role", "token-binding")
        },
        **_NODE_HEALTH,
        **_REGISTRY,
        "trial-api-artifactregistry": "create",
    },
    "azure-trial": {
        "trial-jobs-rules-training-pods": "update",
        **_JOBS,
        "trial-metrics-jobs": "create",
        "trial-kubernetes": "update",  # changes ConfigMaps in place
        "trial": "update",  # its notes
        "trial-scratch-daemon": "update",  # of Microsoft's registry; what is mounted stays
        "trial-control-plane-caller": "create",  # rights of whoever runs up, where the subscription gave them before
        # Counters of PCIe, and how many samples they make.
        "trial-gpu-software-gpu": "update",
        "trial-gpu-software-network-nodes": "update",  # a label of nodes with the module for GPUDirect RDMA
        "trial-gpu-software-network": "update",  # discovery stays on broken nodes; drivers wait for training.roll
        "trial-gpu-software-gpu-counters": "replace",  # its name says what is in it, so that the exporter starts anew
        # Its agents send what pods print; the count of samples goes, and so does the version of its inline pool.
        "trial-control-plane-cluster": "update",
        "trial-monitoring-rule": "update",  # the count of samples, which was a tag of the cluster
        "trial-network-nodes": "update",  # the service endpoint for what jobs read from Blob
        "trial-logs": "create",
        **{f"trial-logs-{part}": "create" for part in ("association", "control-plane", "rule", "workspace")},
        "trial-telemetry-dashboard-fabric": "update",
        "trial-training": "update",
        "trial-jobs-software-kueue-critical": "create",
        "trial-monitoring-alerts": "update",
        "trial-metrics-node-health": "create",
        # The queue: what is read of it, and its rules.
        **{f"trial-metrics-{part}": "create" for part in ("kueue", "jobset", "trainer")},
        **{f"trial-metrics-{part}-service": "create" for part in ("kueue", "jobset")},
        "trial-monitoring-alerts-queue": "create",
        **_NODE_HEALTH,
        "trial-topology": "update",  # the text of NCCL's topology file
        # The registry, its caches, and the nodes' right to pull.
        "trial-registry": "create",
        **{f"trial-registry-{part}": "create" for part in ("images", "pull")},
        **{f"trial-registry-cache-{short}": "create" for short in ("ecr", "k8s", "quay")},
    },
}
"""Stack -> name of a resource -> what a preview does to it, on purpose: `create` or `update`, and nothing else ever but
for RENAMED."""

RENAMED = {"trial-gpu-software-gpu-counters", "trial-telemetry-network"}
"""A ConfigMap whose name says what is in it: another content is another object, made before the old one goes; and a
network policy that another one replaces.
"""

ASKED_FOR = "azure-native:containerservice:ManagedCluster"
"""What the program asks its cloud for while it runs; a preview takes all else from the state."""


@pytest.mark.parametrize("stack", CHANGES)
def test_a_stack_that_stands_loses_nothing_and_every_change_to_it_is_meant(project: Project, stack: str) -> None:
    standing = _build(project, stack)
    plan = json.loads(_done(project, stack, "preview", "--json", "--show-sames"))
    steps: list[dict[str, Any]] = plan["steps"]
    changed = {_name(step): step["op"] for step in steps if step["op"] != "same" and not _is_other_version(step)}
    assert changed == CHANGES[stack]
    kept = [step for step in steps if _name(step) not in RENAMED]
    assert {"create", "update", "same"}.issuperset(step["op"] for step in kept)
    assert {resource["urn"] for resource in standing}.issubset(step["urn"] for step in steps)


def _build(project: Project, stack: str) -> list[dict[str, Any]]:
    """The resources that stand now, as if an `up` had made them."""
    recorded = Path(__file__).with_name("standing") / f"{stack}.json.gz"
    resources = json.loads(gzip.decompress(recorded.read_bytes()))
    if stack == "azure-trial":  # older than the key
        project.change("stacks/Pulumi.azure-trial.yaml", '  gpucluster:ubuntu: "24.04"\n', "")
    _done(project, stack, "stack", "init")
    # Its own, which encrypts with a passphrase of this sandbox.
    state = json.loads(_done(project, stack, "stack", "export"))
    state["deployment"]["resources"] = resources
    (project.path / "state.json").write_text(json.dumps(state))
    _done(project, stack, "stack", "import", "--file", "state.json")
    _remember(project, [it for it in resources if it["type"] == ASKED_FOR])
    return resources


def _remember(project: Project, resources: list[dict[str, Any]]) -> None:
    """Lets the cloud know of them, too."""
    ledger = Ledger(project.path / ".sandbox/clouds.sqlite3")
    for it in resources:
        provider, subscription = it["type"].partition(":")[0], it["id"].split("/")[2]
        known = {key: it[key] for key in ("type", "id", "urn", "inputs", "outputs")}
        ledger.put(Entry(provider=provider, scope=subscription, name=it["outputs"]["name"], **known))
    ledger.close()


def _done(project: Project, stack: str, *command: str) -> str:
    done = project.pulumi(*command, stack=stack)
    assert done.code == 0, done.text
    return done.out


def _name(step: dict[str, Any]) -> str:
    return step["urn"].rpartition("::")[2]


def _is_other_version(step: dict[str, Any]) -> bool:
    """Whether only the version of a cloud's SDK differs, which comes with the lock."""
    return step["op"] == "update" and "::pulumi:providers:" in step["urn"] and step.get("diffReasons") == ["version"]
