"""The properties of objects that the SDK's types lack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.api_server.binaries import VERSION
from gpucluster.sandbox.api_server.definitions import sources
from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.kubernetes.cluster import Cluster
from gpucluster.sandbox.clouds.kubernetes.object_types import recorded
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

Asked = Callable[..., Resource]
Create = Callable[[Resource], Entry]


def failures(cluster: Cluster, resource: Resource) -> dict[str, str]:
    return {failure.path: failure.reason for failure in cluster.failures(resource)}


def deployment(**pod: Any) -> dict[str, Any]:
    template = {"metadata": {}, "spec": {"containers": [{"name": "a"}], **pod}}
    return {"metadata": {"name": "a"}, "spec": {"selector": {}, "template": template}}


def test_the_file_is_of_the_pinned_versions() -> None:
    """`python -m tools.object_types` writes it anew."""
    modules = {source.brought_by: f"{source.module} {source.module_version}" for source in sources()}
    assert recorded()["sources"] == {"": f"k8s.io/kubernetes v{VERSION}", **modules}
    assert recorded()["versions"] == {source.brought_by: source.version for source in sources()}


@pytest.mark.parametrize(
    ("token", "inputs", "expected"),
    [
        (
            "core/v1:PersistentVolume",
            {"spec": {"persistentVolumeReclaimPolicy": "Retains", "accessModes": ["ReadWriteMany", "readWriteOnce"]}},
            {
                "spec.persistentVolumeReclaimPolicy": "expected one of Delete, Recycle, Retain, got 'Retains'",
                "spec.accessModes[1]": "expected one of ReadOnlyMany, ReadWriteMany, ReadWriteOnce, ReadWriteOncePod, "
                "got 'readWriteOnce'",
            },
        ),
        (
            "core/v1:PersistentVolumePatch",
            {"spec": {"volumeMode": "Files"}},
            {"spec.volumeMode": "expected one of Block, Filesystem, got 'Files'"},
        ),
        (
            "storage.k8s.io/v1:StorageClass",
            {"provisioner": "p", "reclaimPolicy": "retain", "volumeBindingMode": "", "allowVolumeExpansion": "true"},
            {
                "reclaimPolicy": "expected one of Delete, Recycle, Retain, got 'retain'",
                "allowVolumeExpansion": "expected true or false, got 'true'",
            },
        ),
        (
            "apps/v1:Deployment",
            deployment(
                priorityClasName="high",
                restartPolicy="Alway",
                containers=[
                    {
                        "name": "a",
                        "env": [{"name": "A", "value": 8}, {"name": "B", "value": True}],
                        "ports": [{"containerPort": "80"}],
                        "resources": {"limits": {"cpu": 2, "memory": "2Gi", "nvidia.com/gpu": True}},
                        "livenessProbe": {"httpGet": {"port": "http"}, "periodSeconds": 5.0},
                    }
                ],
            ),
            {
                "spec.template.spec.priorityClasName": "unknown property 'priorityClasName'; did you mean "
                "'priorityClassName'?",
                "spec.template.spec.restartPolicy": "expected one of Always, Never, OnFailure, got 'Alway'",
                "spec.template.spec.containers[0].env[0].value": "expected a string, got 8",
                "spec.template.spec.containers[0].env[1].value": "expected a string, got True",
                "spec.template.spec.containers[0].ports[0].containerPort": "expected a whole number, got '80'",
                'spec.template.spec.containers[0].resources.limits["nvidia.com/gpu"]': "expected a number, got True",
            },
        ),
    ],
)
def test_a_built_in_kind_has_the_values_and_types_of_the_api_server(
    cluster: Cluster, asked: Asked, token: str, inputs: dict[str, Any], expected: dict[str, str]
) -> None:
    assert failures(cluster, asked(token, "it", **inputs)) == expected


QUEUE = {
    "metadata": {"name": "q", "label": {}},
    "spec": {
        "queueingStrategy": "fifo",
        "resourceGroups": [
            {
                "coveredResources": ["nvidia.com/gpu"],
                "flavors": [{"name": "f", "resources": [{"name": "nvidia.com/gpu", "nominalQuotas": 8}]}],
            }
        ],
    },
}
QUOTA = "spec.resourceGroups[0].flavors[0].resources[0]"
FOUND = {
    "metadata.label": "unknown property 'label'; did you mean 'labels'?",
    "spec.queueingStrategy": "expected one of StrictFIFO, BestEffortFIFO, got 'fifo'",
    f"{QUOTA}.nominalQuotas": "unknown property 'nominalQuotas'; did you mean 'nominalQuota'?",
    f"{QUOTA}.nominalQuota": "missing required property 'nominalQuota'",
}


@pytest.mark.parametrize(
    ("chart", "version", "expected"),
    [
        ("kueue", "0.19.0", FOUND),
        ("oci://registry.k8s.io/kueue/charts/kueue", "v0.19.7", FOUND),
        ("kueue", "0.20.0", {}),
        ("kueue", None, {}),
        ("jobset", "0.12.0", {}),
        (None, None, {}),
    ],
    ids=["patch", "address", "newer", "no-version", "another", "none"],
)
def test_a_custom_kind_is_that_of_the_chart_in_its_version(
    cluster: Cluster, ledger: Ledger, asked: Asked, chart: str | None, version: str | None, expected: dict[str, str]
) -> None:
    if chart is not None:
        release = asked("helm.sh/v3:Release", "r", chart=chart, **({"version": version} if version else {}))
        inputs = dict(release.inputs)
        ledger.put(
            Entry(provider="kubernetes", scope=cluster.server, type=release.token, id="r", name="r", urn="u",
                  inputs=inputs, outputs={})
        )  # fmt: skip
    assert failures(cluster, asked("kueue.x-k8s.io/v1beta2:ClusterQueue", "q", **QUEUE)) == expected


SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "required": ["size"],
            "properties": {
                "size": {"type": "integer"},
                "port": {"x-kubernetes-int-or-string": True},
                "mode": {"type": "string", "enum": ["fast", "safe"]},
                "empty": {"type": "object"},
                "free": {"type": "object", "x_kubernetes_preserve_unknown_fields": True},
                "open": {"type": "object", "additionalProperties": True},
                "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
            },
        },
        "status": {"type": "object"},
    },
}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"size": 1, "port": "http", "mode": "safe", "free": {"a": 1}, "open": {"a": 1}, "counts": {"a": 1}}, {}),
        ({"size": "1", "port": 1.5}, {
            "spec.size": "expected a whole number, got '1'", "spec.port": "expected a whole number, got 1.5",
        }),
        ({"sise": 1}, {
            "spec.sise": "unknown property 'sise'; did you mean 'size'?",
            "spec.size": "missing required property 'size'",
        }),
        ({"size": 1, "mode": "Safe", "empty": {"a": 1}, "counts": {"a": "b"}}, {
            "spec.mode": "expected one of fast, safe, got 'Safe'", "spec.empty.a": "unknown property 'a'; known: ",
            "spec.counts.a": "expected a whole number, got 'b'",
        }),
    ],
    ids=["right", "types", "name", "values"],
)  # fmt: skip
def test_a_kind_that_a_program_defines_is_checked_by_its_definition(
    cluster: Cluster, asked: Asked, create: Create, spec: dict[str, Any], expected: dict[str, str]
) -> None:
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": SCHEMA}}]
    names = {"kind": "Disk", "plural": "disks"}
    definition = {"group": "acme.example", "names": names, "scope": "Cluster", "versions": versions}
    token = "apiextensions.k8s.io/v1:CustomResourceDefinition"
    create(asked(token, "disks", metadata={"name": "disks.acme.example"}, spec=definition))
    disk = asked("acme.example/v1:Disk", "d", metadata={"name": "d"}, spec=spec, status={"any": 1})
    assert failures(cluster, disk) == expected
    other = asked("acme.example/v2:Disk", "d", metadata={"name": "d"}, spec={"anything": 1})
    assert failures(cluster, other) == {}
