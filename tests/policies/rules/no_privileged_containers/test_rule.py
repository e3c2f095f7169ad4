"""no-privileged-containers: objects of a program, one by one."""

from __future__ import annotations

import pytest

from gpucluster.catalog.rows import rows
from gpucluster.policies.clouds.kubernetes.rendered import unrendered
from gpucluster.policies.evaluate import evaluate
from gpucluster.policies.rules import no_secrets_in_plain_text, versions_pinned
from gpucluster.policies.rules.exemptions_in_use import RULE as IN_USE
from gpucluster.policies.rules.no_privileged_containers import RULE
from gpucluster.program.resources import Resource, Resources
from tests.says import Says

ROOT = {"name": "root", "securityContext": {"privileged": True}}
PLAIN = {"name": "plain", "securityContext": {"privileged": False, "capabilities": {"add": ["NET_ADMIN"]}}}


def _object(program, type_, spec, name="object", **metadata):
    program.add(f"kubernetes:{type_}", name, {"metadata": {"name": name, **metadata}, "spec": spec})


def _template(*containers, of="containers"):
    return {"template": {"spec": {of: list(containers)}}}


@pytest.mark.parametrize(
    ("type_", "spec"),
    [
        ("core/v1:Pod", {"containers": [PLAIN, ROOT]}),
        ("apps/v1:Deployment", _template(ROOT)),
        ("apps/v1:DaemonSet", _template(ROOT, of="initContainers")),
        ("apps/v1:StatefulSet", _template(ROOT)),
        ("batch/v1:Job", _template(ROOT)),
        ("batch/v1:CronJob", {"jobTemplate": {"spec": _template(ROOT)}}),
        ("jobset.x-k8s.io/v1alpha2:JobSet", {"replicatedJobs": [{"template": {"spec": _template(ROOT)}}]}),
    ],
)
def test_a_privileged_container_is_found_in_every_kind(program, found, type_, spec):
    _object(program, type_, spec)
    assert found(RULE, program) == [("object", "privileged container `root`")]


@pytest.mark.parametrize(
    ("context", "what"),
    [
        ({"capabilities": {"add": ["ALL"]}}, "capability ALL of `x`"),
        ({"capabilities": {"add": ["cap_sys_admin", "NET_RAW", "BPF"]}}, "capabilities SYS_ADMIN, BPF of `x`"),
        ({"procMount": "Unmasked"}, "procMount Unmasked of `x`"),
        ({"windowsOptions": {"hostProcess": True}}, "hostProcess of `x`"),
    ],
)
def test_what_gives_the_machine_by_another_name_is_found(program, found, context, what):
    _object(program, "apps/v1:Deployment", _template({"name": "x", "securityContext": context}))
    assert found(RULE, program) == [("object", what)]


def _mount(path):
    return {"volumes": [{"name": "data", "hostPath": {"path": path}}]}


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ({"hostPID": True}, "hostPID"),
        ({"hostIPC": "true", "hostNetwork": True}, "hostIPC; hostNetwork"),
        (_mount("/"), "hostPath /"),
        (_mount("/data/..//var/lib/kubelet/pods"), "hostPath /var/lib/kubelet/pods"),
        (_mount("/run/containerd/containerd.sock"), "hostPath /run/containerd/containerd.sock"),
        ({"securityContext": {"windowsOptions": {"hostProcess": True}}}, "hostProcess"),
    ],
)
def test_a_pod_that_shares_its_machine_is_found(program, found, spec, what):
    _object(program, "core/v1:Pod", {"containers": [{"name": "a"}], **spec})
    assert found(RULE, program) == [("object", what)]


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
    spec = _template(*({**ROOT, "image": f"{image}:v1@sha256:0a"} for image in images))
    _object(program, "apps/v1:DaemonSet", spec, name, namespace="kube-system")
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
    spec = _template(good, {"name": "beside", "image": f"{bad}:v1"})
    _object(program, "apps/v1:DaemonSet", spec, name, namespace="kube-system")
    what = Says("root", "not", bad)
    assert found(RULE, program) == [(name, what)]


def test_the_packs_configuration_names_more(program, found):
    root = {**ROOT, "image": "registry.example.com:5000/agent:1.2.3"}
    _object(program, "apps/v1:DaemonSet", _template(root), "agent", namespace="monitoring")
    agent = {"reason": "reads performance counters", "images": ["registry.example.com:5000/agent"]}
    assert found(RULE, program, {"allowed": {"DaemonSet monitoring/agent": agent}}) == []
    assert [name for name, _ in found(RULE, program, {"allowed": {"DaemonSet monitoring/other": agent}})] == ["agent"]


@pytest.mark.parametrize("rule", [RULE, no_secrets_in_plain_text.RULE, versions_pinned.RULE], ids=lambda of: of.name)
def test_text_that_becomes_objects_later_is_said_until_they_are_there(program, found, unknown, rule):
    program.add("kubernetes:yaml:ConfigGroup", "group", {})
    assert found(rule, program) == []
    assert unknown(rule, program) == [("group", Says("objects", "creates", "not"))]


def test_components_of_objects_that_are_there_have_nothing_open():
    group, pod = "kubernetes:yaml:ConfigGroup", "kubernetes:core/v1:Pod"
    around = Resource(urn=f"urn:pulumi:dev::shop::{group}::g", type=group, name="g")
    inside = Resource(urn=f"urn:pulumi:dev::shop::{group}${pod}::p", type=pod, name="p", parent=around.urn)
    assert [list(unrendered(Resources(found))) == [] for found in ([around], [around, inside])] == [False, True]
