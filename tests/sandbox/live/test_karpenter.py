"""The machines that Karpenter may start, as its program reads them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpucluster.core.catalog.machines import machines
from gpucluster.sandbox.live import karpenter as module
from gpucluster.sandbox.live.karpenter import CLASSES, cloud_document
from gpucluster.sandbox.live.node_events import notice

PROGRAM = Path(module.__file__).parent / "program"


def test_an_ec2_machine_has_what_its_kubelet_leaves_and_its_local_disks_as_one() -> None:
    document = cloud_document(
        "karpenter.k8s.aws", CLASSES["karpenter.k8s.aws"], {"instanceStorePolicy": "RAID0"}, region="us-east-1"
    )
    assert {key: value for key, value in document.items() if key != "machines"} == {
        "nodeClass": {"group": "karpenter.k8s.aws", "version": "v1", "kind": "EC2NodeClass"},
        "zoneLabels": ["topology.kubernetes.io/zone", "topology.k8s.aws/zone-id"],
        "spotPauseSeconds": 180,
        "purchaseLabels": {},
        "taintsTaken": [],
    }
    assert next(it for it in document["machines"] if it["name"] == "p5.4xlarge") == {
        "name": "p5.4xlarge",
        "labels": {
            "kubernetes.io/arch": "amd64",
            "kubernetes.io/os": "linux",
            "topology.kubernetes.io/region": "us-east-1",
        },
        "capacity": {
            "cpu": "16",
            "memory": "242483Mi",
            "ephemeral-storage": "3539Gi",
            "pods": "118",
            "nvidia.com/gpu": "1",
        },
        "allocatable": {
            "cpu": "15890m",
            "memory": "240830Mi",
            "ephemeral-storage": "3185Gi",
            "pods": "118",
            "nvidia.com/gpu": "1",
        },
    }


@pytest.mark.parametrize(
    ("group", "spec", "disk"),
    [
        ("karpenter.k8s.aws", {}, "20Gi"),
        ("karpenter.k8s.aws", {"blockDeviceMappings": [{"rootVolume": True, "ebs": {"volumeSize": "200Gi"}}]}, "200Gi"),
        ("karpenter.azure.com", {}, "128Gi"),
        ("karpenter.azure.com", {"osDiskSizeGB": 200}, "200Gi"),
    ],
)
def test_without_local_disks_the_root_disk_of_the_class_counts(group: str, spec: dict[str, object], disk: str) -> None:
    found = cloud_document(group, CLASSES[group], spec, region="r")["machines"]
    assert {it["capacity"]["ephemeral-storage"] for it in found} == {disk}


@pytest.mark.parametrize("group", CLASSES)
def test_every_machine_of_the_cloud_with_known_memory_is_there_in_the_order_of_the_catalog(group: str) -> None:
    node_class = CLASSES[group]
    found = [it["name"] for it in cloud_document(group, node_class, {}, region="r")["machines"]]
    assert found == [
        name for name, it in machines().items() if it.cloud == node_class.cloud and it.vcpus and it.memory_gib
    ]


def test_the_program_reads_the_fields_that_are_written() -> None:
    document = cloud_document("karpenter.k8s.aws", CLASSES["karpenter.k8s.aws"], {}, region="r")
    read = {*re.findall(r'json:"(\w+)"', (PROGRAM / "machines.go").read_text())}
    assert read == {*document, *document["machines"][0]}


def test_an_interruption_is_told_by_the_annotation_that_the_program_reads() -> None:
    told = notice({"metadata": {"labels": {"karpenter.sh/capacity-type": "spot"}}})
    text = (PROGRAM / "interruption.go").read_text()
    assert re.findall(r'^const \w+ = "(.*)"', text, re.MULTILINE) == [
        *told["metadata"]["annotations"],
        *told["metadata"]["annotations"].values(),
    ]
