"""no-privileged-containers: objects of a program, one by one."""

from __future__ import annotations

import pytest

from gpucluster.core.catalog.tables import rows
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.policies.clouds.kubernetes.objects import unrendered
from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.rules.exemptions_in_use import RULE as IN_USE
from gpucluster.policies.rules.no_privileged_containers import RULE
from tests.says import Says

ROOT = {"name": "root", "securityContext": {"privileged": True}}


def _daemon(program, name, *containers):
    spec = {"template": {"spec": {"containers": list(containers)}}}
    metadata = {"name": name, "namespace": "kube-system"}
    program.add("kubernetes:apps/v1:DaemonSet", name, {"metadata": metadata, "spec": spec})


PREPARE = [
    "nccl-tcpx-installer",
    "nccl-tcpxo-installer",
    "nccl-rdma-installer",
    "device-injector",
    "scratch",
    "csi-azurelustre-node-jammy",
    "csi-azurelustre-node-noble",
]
IMAGES = {row["object"]: row["images"].split() for row in rows("node_daemons")}


@pytest.mark.parametrize("name", PREPARE)
def test_the_daemons_that_prepare_a_node_are_accepted_by_name_and_image_and_told_with_the_reason(program, found, name):
    images = IMAGES[f"DaemonSet kube-system/{name}"]
    _daemon(program, name, *({**ROOT, "image": f"{image}:v1@sha256:0a"} for image in images))
    assert found(RULE, program) == []
    *_, told = evaluate([RULE, IN_USE], program.stack().resources, today=program.today)
    [(resource, what)] = [(violation.resource.name, violation.what) for violation in told.violations]
    assert resource == name
    roots = f"privileged container{'s' if len(images) > 1 else ''} {', '.join(['`root`'] * len(images))}"
    assert what.startswith(f"no-privileged-containers: {roots}; accepted by name: it ")


@pytest.mark.parametrize("name", PREPARE)
def test_a_daemon_with_another_image_is_found_whatever_its_name(program, found, name):
    image = IMAGES[f"DaemonSet kube-system/{name}"][0]
    good = {**ROOT, "image": f"{image}:v1"}
    bad = f"evil.example.com/{image}"
    _daemon(program, name, good, {"name": "beside", "image": f"{bad}:v1"})
    assert found(RULE, program) == [(name, Says("root", "not", bad))]


def test_components_of_objects_that_are_there_have_nothing_open():
    group, pod = "kubernetes:yaml:ConfigGroup", "kubernetes:core/v1:Pod"
    around = Resource(urn=f"urn:pulumi:dev::shop::{group}::g", type=group, name="g")
    inside = Resource(urn=f"urn:pulumi:dev::shop::{group}${pod}::p", type=pod, name="p", parent=around.urn)
    assert [list(unrendered(Resources(found))) == [] for found in ([around], [around, inside])] == [False, True]
