"""What a cluster on AWS registers inside itself.

It holds changes, as `test_expected_cluster.py` does. `ANY`: held by the tests of their own modules (runtimes and
admission rules by tests/jobs, agents, dashboards and values of charts beside this file and in
tests/components/kubernetes).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from unittest.mock import ANY

from pulumi.runtime.mocks import MockResourceArgs

from tests.components.aws.test_expected_cluster import CLUSTER, NODE_LABELS, TAGS, Item

Register = Callable[..., dict[str, MockResourceArgs]]
GPU_TAINT = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}


def item(
    api: str,
    name: str,
    called: str | None,
    *,
    inside: str = "",
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
    **fields: Any,
) -> Item:
    """An object with the labels of the cluster, and the namespace that it is in."""
    version, _, kind = api.rpartition(":")
    metadata: dict[str, Any] = {"labels": {**NODE_LABELS, **(labels or {})}}
    metadata |= {"name": called} if called else {}
    metadata |= {"namespace": inside} if inside else {}
    metadata |= {"annotations": annotations} if annotations else {}
    body = {"apiVersion": version.removeprefix("core/"), "kind": kind, "metadata": metadata, **fields}
    return f"kubernetes:{api}", f"trial-{name}", body


def any_of(api: str, *names: str) -> list[Item]:
    return [(f"kubernetes:{api}", f"trial-{name}", ANY) for name in names]


def namespace(name: str, called: str, level: str = "restricted") -> Item:
    return item("core/v1:Namespace", name, called, labels={"pod-security.kubernetes.io/enforce": level})


def ingress(name: str, called: str, inside: str, rule: dict[str, Any]) -> Item:
    spec = {"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [rule]}
    return item("networking.k8s.io/v1:NetworkPolicy", name, called, inside=inside, spec=spec)


def ports(name: str, inside: str, *numbers: int) -> Item:
    rule = {"ports": [{"port": number, "protocol": "TCP"} for number in numbers]}
    return ingress(name, "only-these-ports", inside, rule)


def from_within(name: str, inside: str) -> Item:
    return ingress(name, "only-from-within", inside, {"from": [{"podSelector": {}}]})


def critical_pods(name: str, inside: str) -> Item:
    """Some clouds admit critical pods outside of kube-system only where a quota says so."""
    scope = {"scopeName": "PriorityClass", "operator": "In", "values": ["system-cluster-critical"]}
    spec = {"hard": {"pods": "1000000"}, "scopeSelector": {"matchExpressions": [scope]}}
    return item("core/v1:ResourceQuota", name, "critical-pods", inside=inside, spec=spec)


def chart(
    name: str, where: str, version: str, inside: str = "kube-system", /, values: Any = ANY, **inputs: Any
) -> Item:
    found = {
        "atomic": True,
        "chart": where,
        "compat": "true",
        "namespace": inside,
        "skipCrds": False,
        "timeout": 600,
        "values": values,
        "version": version,
        **inputs,
    }
    return "kubernetes:helm.sh/v3:Release", f"trial-{name}", found


CHARTS = [
    chart(
        "devices-efa",
        "aws-efa-k8s-device-plugin",
        "v0.5.30",
        repositoryOpts={"repo": "https://aws.github.io/eks-charts"},
        values={
            "nodeSelector": {"vpc.amazonaws.com/efa.present": "true"},
            "tolerations": [{"key": "CriticalAddonsOnly", "operator": "Exists"}, GPU_TAINT],
        },
    ),
    chart(
        "devices-nvidia",
        "nvidia-device-plugin",
        "0.18.2",
        repositoryOpts={"repo": "https://nvidia.github.io/k8s-device-plugin"},
        values={"nodeSelector": {"nvidia.com/gpu.present": "true"}, "tolerations": [GPU_TAINT]},
    ),
    # Another chart has the definitions, which would else stay as they were at the first install.
    chart("elastic-karpenter-crd", "oci://public.ecr.aws/karpenter/karpenter-crd", "1.14.1", values={}),
    chart(
        "elastic-karpenter",
        "oci://public.ecr.aws/karpenter/karpenter",
        "1.14.1",
        name="karpenter",
        skipCrds=True,
        values={
            "serviceAccount": {"name": "karpenter"},
            "settings": {
                "clusterEndpoint": "https://cluster.example",
                "clusterName": CLUSTER,
                "interruptionQueue": "trial-elastic-interruption-queue",
            },
        },
    ),
    chart(
        "jobs-software-jobset",
        "oci://registry.k8s.io/jobset/charts/jobset",
        "0.12.0",
        "jobset-system",
        name="jobset",
        values={
            "controller": {"tolerations": []},
            "image": {"repository": "registry.k8s.io/jobset/jobset", "tag": "v0.12.0"},
        },
    ),
    chart(
        "jobs-software-trainer",
        "oci://ghcr.io/kubeflow/charts/kubeflow-trainer",
        "2.3.0",
        "kubeflow-system",
        name="kubeflow-trainer",
        takeOwnership=True,
        values={
            "image": {
                "registry": "ghcr.io",
                "repository": "kubeflow/trainer/trainer-controller-manager",
                "tag": "v2.3.0",
            },
            "jobset": {"install": False},
            "manager": {"tolerations": []},
        },
    ),
    *any_of("helm.sh/v3:Release", "jobs-software-kueue", "gpu-exporter-dcgm"),
]


def queue(pool: str, quotas: dict[str, str], **flavor: str) -> list[Item]:
    """A queue of the pool's own, with all that the pool has."""
    group = {
        "coveredResources": list(quotas),
        "flavors": [
            {
                "name": pool,
                "resources": [{"name": name, "nominalQuota": amount} for name, amount in quotas.items()],
            }
        ],
    }
    kueue = "kueue.x-k8s.io/v1beta2"
    spec = {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "training"}},
        "preemption": {"withinClusterQueue": "LowerPriority"},
        "resourceGroups": [group],
    }
    return [
        item(
            f"{kueue}:ResourceFlavor",
            f"jobs-{pool}-flavor",
            pool,
            spec={"nodeLabels": {"gpucluster/pool": pool}, **flavor},
        ),
        item(f"{kueue}:ClusterQueue", f"jobs-{pool}-cluster-queue", pool, spec=spec),
        item(f"{kueue}:LocalQueue", f"jobs-{pool}-queue", pool, inside="training", spec={"clusterQueue": pool}),
    ]


def priority(name: str, value: int, description: str) -> Item:
    api = "kueue.x-k8s.io/v1beta2:WorkloadPriorityClass"
    return item(api, f"jobs-{name}-priority", name, value=value, description=description)


ADMISSION = "admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy"
JOBS = [
    from_within("jobs-network", "training"),
    *queue("dev", {"cpu": "128", "memory": "2048Gi", "nvidia.com/gpu": "8"}),
    *queue(
        "training",
        {
            "cpu": "768",
            "memory": "8192Gi",
            "nvidia.com/gpu": "32",
            "vpc.amazonaws.com/efa": "128",
            "hugepages-2Mi": "20480Mi",
        },
        topologyName="training",
    ),
    # AWS tells of three layers of its network over each machine.
    item(
        "kueue.x-k8s.io/v1beta2:Topology",
        "jobs-training-topology",
        "training",
        spec={
            "levels": [
                *({"nodeLabel": f"topology.k8s.aws/network-node-layer-{layer}"} for layer in (1, 2, 3)),
                {"nodeLabel": "kubernetes.io/hostname"},
            ]
        },
    ),
    priority(
        "low", 250, "Waits for all other jobs and is preempted by them: for sweeps and evaluations without a deadline"
    ),
    priority("medium", 500, "The ordinary job; preempts jobs of low priority"),
    priority("high", 750, "Runs before other waiting jobs, and preempts running ones if it needs their GPUs"),
    *(
        item(
            f"{ADMISSION}Binding",
            f"jobs-rules-{rules}-binding",
            rules,
            spec={"policyName": rules, "validationActions": ["Deny"]},
        )
        for rules in ("gpu-pods", "training-jobs")
    ),
    *any_of(ADMISSION, "jobs-rules-gpu-pods", "jobs-rules-training-jobs"),
    *any_of(
        "trainer.kubeflow.org/v1alpha1:ClusterTrainingRuntime",
        "jobs-single-gpu-runtime",
        "jobs-training-runtime",
        "jobs-training-mpi-runtime",
    ),
    namespace("jobs-software-jobset-namespace", "jobset-system"),
    namespace("jobs-software-kueue-namespace", "kueue-system"),
    namespace("jobs-software-trainer-namespace", "kubeflow-system"),
    ports("jobs-software-jobset-ports", "jobset-system", 8443, 9443),
    ports("jobs-software-kueue-ports", "kueue-system", 8082, 8443, 9443),
    ports("jobs-software-trainer-ports", "kubeflow-system", 8443, 9443),
    critical_pods("jobs-software-kueue-critical", "kueue-system"),
]

RBAC = "rbac.authorization.k8s.io"
AGENTS = [
    namespace("gpu-exporter-namespace", "gpu-exporter", "privileged"),
    ports("gpu-exporter-ports", "gpu-exporter", 9400),
    namespace("telemetry-namespace", "monitoring"),
    from_within("telemetry-network", "monitoring"),
    item("core/v1:ServiceAccount", "logs-account", "pod-logs", inside="kube-system"),
    *any_of("core/v1:ConfigMap", "logs-settings", "node-health-files"),
    *any_of("core/v1:ConfigMap", *(f"telemetry-dashboard-{name}" for name in ("fabric", "health", "use"))),
    *any_of("apps/v1:DaemonSet", "logs-daemon"),
    *any_of("apps/v1:Deployment", "node-health-program"),
    namespace("node-health-namespace", "node-health"),
    ports("node-health-network", "node-health", 8080),
    critical_pods("node-health-quota", "node-health"),
    item("core/v1:ServiceAccount", "node-health-account", "node-health", inside="node-health"),
    item(
        f"{RBAC}/v1:ClusterRole",
        "node-health-role",
        "node-health",
        rules=[
            {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list", "patch"]},
            {"apiGroups": [""], "resources": ["events"], "verbs": ["create"]},
        ],
    ),
    item(
        f"{RBAC}/v1:ClusterRoleBinding",
        "node-health-binding",
        "node-health",
        roleRef={"apiGroup": RBAC, "kind": "ClusterRole", "name": "node-health"},
        subjects=[{"kind": "ServiceAccount", "name": "node-health", "namespace": "node-health"}],
    ),
]

STORED = {"accessModes": ["ReadWriteMany"], "storageClassName": ""}
STORAGE = [
    item(
        "storage.k8s.io/v1:StorageClass",
        "block-storage-class",
        "gp3",
        annotations={"storageclass.kubernetes.io/is-default-class": "true"},
        provisioner="ebs.csi.aws.com",
        parameters={"type": "gp3", "encrypted": "true"},
        volumeBindingMode="WaitForFirstConsumer",
        allowVolumeExpansion=True,
        reclaimPolicy="Delete",
    ),
    namespace("workspace-namespace", "training", "baseline"),
    item(
        "core/v1:PersistentVolume",
        "workspace-volume",
        None,
        spec={
            **STORED,
            "capacity": {"storage": "20480Gi"},
            "csi": {
                "driver": "fsx.csi.aws.com",
                "volumeHandle": "trial-storage-shared-id",
                "volumeAttributes": {"dnsname": "fs.example", "mountname": "abcd1234"},
            },
            "mountOptions": ["flock", "noatime", "lazystatfs"],
            "persistentVolumeReclaimPolicy": "Retain",
        },
    ),
    item(
        "core/v1:PersistentVolumeClaim",
        "workspace-claim",
        "shared",
        inside="training",
        spec={**STORED, "resources": {"requests": {"storage": "20480Gi"}}},
    ),
]

ELASTIC = [
    item(
        "karpenter.k8s.aws/v1:EC2NodeClass",
        "elastic-class",
        "elastic",
        spec={
            "role": "trial-elastic-node-role",
            "amiSelectorTerms": [{"alias": "al2023@v20260714"}],
            "subnetSelectorTerms": [{"id": "trial-network-gpu-id"}],
            "securityGroupSelectorTerms": [{"id": "sg-cluster"}],
            "instanceStorePolicy": "RAID0",
            "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1},
            "blockDeviceMappings": [
                {
                    "deviceName": "/dev/xvda",
                    "rootVolume": True,
                    "ebs": {"volumeSize": "200Gi", "volumeType": "gp3", "encrypted": True, "deleteOnTermination": True},
                }
            ],
            "tags": {**TAGS, "Name": "trial-elastic-node"},
            "userData": ANY,
        },
    ),
    item(
        "karpenter.sh/v1:NodePool",
        "elastic-dev-pool",
        "dev",
        annotations={"gpucluster/expected-gpus": "2"},
        spec={
            "template": {
                "metadata": {
                    "labels": {**NODE_LABELS, "gpucluster/pool": "dev", "nvidia.com/gpu.present": "true"},
                },
                "spec": {
                    "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "elastic"},
                    "requirements": [
                        {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.4xlarge"]},
                        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
                        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]},
                    ],
                    "taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}],
                    "expireAfter": "720h",
                    "terminationGracePeriod": "24h",
                },
            },
            # A job is never moved: nodes go once they are empty.
            "disruption": {
                "consolidationPolicy": "WhenEmpty",
                "consolidateAfter": "5m",
                "budgets": [
                    {"nodes": "100%", "reasons": ["Empty"]},
                    {"nodes": "0", "reasons": ["Drifted", "Underutilized"]},
                ],
            },
            "limits": {"nvidia.com/gpu": "8"},
        },
    ),
]


def test_the_trial_registers_these_objects_in_its_cluster(register: Register) -> None:
    found = [
        (args.typ, name, args.inputs) for name, args in sorted(register().items()) if args.typ.startswith("kubernetes:")
    ]
    expected = sorted([*CHARTS, *JOBS, *AGENTS, *STORAGE, *ELASTIC], key=lambda item: item[1])
    assert [item[:2] for item in found] == [item[:2] for item in expected]
    assert found == expected


def test_the_provider_reaches_the_cluster_by_a_token_of_the_users_own_rights(register: Register) -> None:
    provider = register()["trial-kubernetes"]
    config = json.loads(provider.inputs["kubeconfig"])
    assert (provider.typ, {key: value for key, value in provider.inputs.items() if key != "kubeconfig"}) == (
        "pulumi:providers:kubernetes",
        {"enableConfigMapMutable": "true", "enableServerSideApply": "true"},
    )
    assert config["users"][0]["user"]["exec"] == {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "aws",
        "args": ["--region", "us-east-1", "eks", "get-token", "--cluster-name", CLUSTER, "--output", "json"],
        "interactiveMode": "Never",
    }
    assert config["clusters"][0]["cluster"] == {
        "server": "https://cluster.example",
        "certificate-authority-data": "Y2VydA==",
    }
