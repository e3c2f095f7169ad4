"""What every trial declares inside its cluster, held against rules that no single component can keep."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
# The program of a stack, as a first preview runs it.
DECLARED = """
import json, sys
from tools.pages.examples import declared, examples
[trial] = [example for example in examples() if example.own and example.cloud == sys.argv[1]]
found = [{"urn": item.urn, "type": item.type, "inputs": item.inputs} for item in declared(trial) if item.custom]
print(json.dumps(found, default=str))
"""
PINNED = re.compile(r"@sha256:[0-9a-f]{64}$")

# Namespace -> the standard its pods must meet. The privileged ones, and why: jobs over InfiniBand and Google's fabrics
# mount folders of their node (docs/run/jobs.md), NVIDIA's operators load drivers, and its exporter reads who holds
# which GPU from a folder of the node, with SYS_ADMIN for profiling counters, on GKE the driver too.
ENFORCED = {
    "aws": {"training": "baseline", "monitoring": "restricted", "gpu-exporter": "privileged"},
    "gcp": {"training": "privileged", "monitoring": "restricted", "gpu-exporter": "privileged"},
    "azure": {
        "training": "privileged",
        "monitoring": "restricted",
        "gpu-operator": "privileged",
        "network-operator": "privileged",
    },
}
CONTROLLERS = dict.fromkeys(("kueue-system", "jobset-system", "kubeflow-system", "node-health"), "restricted")


@dataclass(frozen=True)
class Object:
    """logical: its name in the program."""

    logical: str
    kind: str
    inputs: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.inputs["metadata"]["name"])


Cluster = tuple[str, list[Object]]


@pytest.fixture(scope="module", params=["aws", "azure", "gcp"])
def cluster(request: pytest.FixtureRequest) -> Cluster:
    """(cloud, the Kubernetes objects its trial declares)."""
    command = [sys.executable, "-c", DECLARED, request.param]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return request.param, [
        Object(item["urn"].rpartition("::")[2], item["type"].rpartition(":")[2], item["inputs"])
        for item in json.loads(done.stdout)
        if item["type"].startswith("kubernetes:")
    ]


def images(value: Any) -> Iterator[str]:
    """Every image in an object or in the values of a chart, as a node would pull it."""
    if isinstance(value, Mapping):
        image = value.get("image")
        if isinstance(image, str) and "version" not in value:
            yield image
        elif "repository" in value and ("tag" in value or "version" in value):
            path = "/".join(str(value[key]) for key in ("registry", "repository", "image") if key in value)
            yield f"{path}:{value.get('tag') or value['version']}"
        for inner in value.values():
            yield from images(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from images(inner)


def test_every_image_has_a_digest_or_a_tag_that_stays(cluster: Cluster) -> None:
    cloud, objects = cluster
    found = sorted({image for item in objects for image in images(item.inputs)})
    tags = {image: image.rpartition("/")[2].partition(":")[2] for image in found if not PINNED.search(image)}
    moving = [image for image, tag in tags.items() if not re.search(r"\d", tag) or tag.startswith("release-")]
    assert moving == []
    # At least those of the jobs, and the controllers that run them.
    assert {image.rpartition("/")[2].partition(":")[0].partition("@")[0] for image in found} >= {
        "pytorch",
        "nccl-plugin-gpudirecttcpx-dev" if cloud == "gcp" else "nccl-tests",
        "kueue",
        "jobset",
        "trainer-controller-manager",
    }, cloud


def test_every_chart_is_of_one_version(cluster: Cluster) -> None:
    versions = [str(item.inputs.get("version")) for item in cluster[1] if item.kind == "Release"]
    assert [version for version in versions if not re.fullmatch(r"v?\d+(\.\d+)+", version)] == []


def test_every_namespace_enforces_a_standard_and_those_that_enforce_little_are_named(cluster: Cluster) -> None:
    cloud, objects = cluster
    enforced = {
        item.name: item.inputs["metadata"]["labels"]["pod-security.kubernetes.io/enforce"]
        for item in objects
        if item.kind == "Namespace"
    }
    assert enforced == {**CONTROLLERS, **ENFORCED[cloud]}


def test_where_the_standard_is_privileged_a_policy_gives_back_what_matters_of_baseline(cluster: Cluster) -> None:
    cloud, objects = cluster
    policies = {item.name: item.inputs["spec"] for item in objects if item.kind == "ValidatingAdmissionPolicy"}
    bindings = {item.name: item.inputs["spec"] for item in objects if item.kind == "ValidatingAdmissionPolicyBinding"}
    denied = {"gpu-pods", "training-jobs", *(["training-pods"] if ENFORCED[cloud]["training"] == "privileged" else [])}
    actions = {**dict.fromkeys(denied, "Deny"), "several-nodes": "Warn"}
    assert set(policies) == set(actions)
    assert bindings == {rule: {"policyName": rule, "validationActions": [action]} for rule, action in actions.items()}
    assert {rule: spec["failurePolicy"] for rule, spec in policies.items()} == {
        rule: "Fail" if rule in denied else "Ignore" for rule in actions
    }


def test_network_policies_close_every_namespace_of_ours(cluster: Cluster) -> None:
    cloud, objects = cluster
    rules = {
        item.logical.removeprefix("trial-"): item.inputs["spec"]["ingress"]
        for item in objects
        if item.kind == "NetworkPolicy" and "ingress" in item.inputs["spec"]
    }

    def ports(*numbers: int) -> list[dict[str, Any]]:
        return [{"ports": [{"protocol": "TCP", "port": number} for number in numbers]}]

    within = [{"from": [{"podSelector": {}}]}]
    exporters = {"aws": "gpu-exporter-ports", "gcp": "monitoring-gpus-ports"}
    assert rules == {
        "jobs-network": within,
        "node-health-network": ports(8080),
        "jobs-software-kueue-ports": ports(8082, 8443, 9443),
        "jobs-software-jobset-ports": ports(8443, 9443),
        "jobs-software-trainer-ports": ports(8443, 9443),
        "telemetry-ports": ports(8080),
        **({exporters[cloud]: ports(9400)} if cloud in exporters else {}),
    }


def test_on_azure_no_job_reaches_the_services_of_its_machine(cluster: Cluster) -> None:
    """Elsewhere it is the machine that keeps them: by hops on AWS, by a server of GKE's own."""
    cloud, objects = cluster
    specs = [item.inputs["spec"] for item in objects if item.kind == "NetworkPolicy"]
    everything_else = {"cidr": "0.0.0.0/0", "except": ["169.254.169.254/32", "168.63.129.16/32"]}
    assert [spec for spec in specs if "Egress" in spec["policyTypes"]] == (
        [
            {
                "podSelector": {},
                "policyTypes": ["Egress"],
                "egress": [{"to": [{"namespaceSelector": {}}, {"ipBlock": everything_else}]}],
            }
        ]
        if cloud == "azure"
        else []
    )


def test_nothing_holds_a_credential_and_nobody_but_named_people_is_cluster_admin(cluster: Cluster) -> None:
    """Pods get at the cloud by workload identity alone. The tokens on GKE read metrics, and nothing else."""
    cloud, objects = cluster
    tokens = ["metrics-reader", "metrics-reader"] if cloud == "gcp" else []
    assert [item.name for item in objects if item.kind == "Secret"] == tokens
    admins = [item for item in objects if item.kind == "ClusterRoleBinding"]
    subjects = [
        subject
        for item in admins
        if item.inputs["roleRef"]["name"] == "cluster-admin"
        for subject in item.inputs["subjects"]
    ]
    assert [subject for subject in subjects if subject["kind"] not in ("User", "Group")] == []
