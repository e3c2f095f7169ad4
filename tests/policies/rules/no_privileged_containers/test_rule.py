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


def test_a_container_with_capabilities_alone_passes(program, found, unknown):
    _object(program, "apps/v1:DaemonSet", _template(PLAIN, {"name": "bare"}))
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


def test_all_privileged_containers_are_named(program, found):
    _object(program, "core/v1:Pod", {"containers": [ROOT, {**ROOT, "name": "more"}]})
    assert found(RULE, program) == [("object", "privileged containers `root`, `more`")]


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


@pytest.mark.parametrize(
    "path", ["/scratch", "/dev/aperture_devices", "/sys", "/home/kubernetes/bin", "/etc/localtime"]
)
def test_folders_of_the_machine_that_hold_data_or_devices_pass(program, found, path):
    _object(program, "core/v1:Pod", {"containers": [PLAIN], **_mount(path)})
    assert found(RULE, program) == []


def test_a_template_of_a_workflow_is_read(program, found):
    template = {"name": "train", "container": {"image": "a", "securityContext": {"privileged": True}}}
    _object(program, "argoproj.io/v1alpha1:Workflow", {"templates": [template]})
    assert found(RULE, program) == [("object", "privileged container `train`")]


def _chart(program, name="chart", **inputs):
    program.add("kubernetes:helm.sh/v3:Release", name, inputs)


def test_what_the_values_of_a_chart_ask_for_is_found(program, found):
    _chart(program, chart="agent", values={"agent": {"podSecurityContext": {"privileged": True}, "hostPID": True}})
    assert found(RULE, program) == [("chart", "privileged container `values`; hostPID")]


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
    what = f"privileged container `root`; allowed by name, but not with an image from {bad}"
    assert found(RULE, program) == [(name, what)]


def test_a_daemon_with_an_image_not_known_yet_decides_nothing(program, found, unknown):
    spec = _template({**ROOT, "image": program.unknown})
    _object(program, "apps/v1:DaemonSet", spec, "scratch", namespace="kube-system")
    assert found(RULE, program) == []
    what = "privileged container `root`; allowed by name, with an image that is not known yet"
    assert unknown(RULE, program) == [("scratch", what)]


def test_the_chart_of_the_gpu_exporter_is_accepted_from_its_own_repository_alone(program, found):
    values = {"securityContext": {"privileged": True}}
    home = {"repo": "https://nvidia.github.io/dcgm-exporter/helm-charts"}
    evil = {"repo": "https://evil.example.com"}
    _chart(program, "good", chart="dcgm-exporter", repositoryOpts=home, values=values)
    _chart(program, "bad", chart="dcgm-exporter", repositoryOpts=evil, values=values)
    image = {"image": {"repository": "evil"}}
    _chart(program, "worse", chart="dcgm-exporter", repositoryOpts=home, values={**values, **image})
    what = "privileged container `values`; allowed by name, but not with an image from"
    assert found(RULE, program) == [("bad", f"{what} https://evil.example.com"), ("worse", f"{what} evil")]


@pytest.mark.parametrize(
    ("type_", "metadata"),
    [
        ("apps/v1:DaemonSet", {"namespace": "training"}),
        ("apps/v1:DaemonSet", {}),
        ("apps/v1:Deployment", {"namespace": "kube-system"}),
    ],
)
def test_the_name_alone_is_not_enough(program, found, type_, metadata):
    _object(program, type_, _template(ROOT), "device-injector", **metadata)
    assert found(RULE, program) == [("device-injector", "privileged container `root`")]


def test_the_packs_configuration_names_more(program, found):
    root = {**ROOT, "image": "registry.example.com:5000/agent:1.2.3"}
    _object(program, "apps/v1:DaemonSet", _template(root), "agent", namespace="monitoring")
    agent = {"reason": "reads performance counters", "images": ["registry.example.com:5000/agent"]}
    assert found(RULE, program, {"allowed": {"DaemonSet monitoring/agent": agent}}) == []
    assert [name for name, _ in found(RULE, program, {"allowed": {"DaemonSet monitoring/other": agent}})] == ["agent"]


@pytest.mark.parametrize(
    "spec",
    [
        {"template": "later"},
        _template({"name": "a", "securityContext": "later"}),
        _template({"name": "a", "securityContext": {"privileged": "later"}}),
        _template({"name": "a", "securityContext": {"capabilities": {"add": "later"}}}),
        {"template": {"spec": {"hostPID": "later", "containers": []}}},
        {"template": {"spec": {"containers": "later"}}},
    ],
)
def test_what_is_not_known_yet_is_said(program, found, unknown, spec):
    def later(value):
        if isinstance(value, dict):
            return {key: later(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [later(inner) for inner in value]
        return program.unknown if value == "later" else value

    _object(program, "apps/v1:Deployment", later(spec))
    assert found(RULE, program) == []
    assert unknown(RULE, program) == [("object", "whether its containers are privileged is not known yet")]


def test_other_unknown_values_of_a_workload_are_not_asked(program, found, unknown):
    container = {"name": "a", "image": program.unknown, "env": program.unknown}
    _object(program, "apps/v1:Deployment", _template(container))
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


def test_objects_without_containers_pass(program, found, unknown):
    _object(program, "core/v1:ConfigMap", program.unknown)
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


@pytest.mark.parametrize("rule", [RULE, no_secrets_in_plain_text.RULE, versions_pinned.RULE], ids=lambda of: of.name)
def test_text_that_becomes_objects_later_is_said_until_they_are_there(program, found, unknown, rule):
    program.add("kubernetes:yaml:ConfigGroup", "group", {})
    assert found(rule, program) == []
    assert unknown(rule, program) == [("group", "the objects that it creates are not known until their cluster exists")]


def test_components_of_objects_that_are_there_have_nothing_open():
    group, pod = "kubernetes:yaml:ConfigGroup", "kubernetes:core/v1:Pod"
    around = Resource(urn=f"urn:pulumi:dev::shop::{group}::g", type=group, name="g")
    inside = Resource(urn=f"urn:pulumi:dev::shop::{group}${pod}::p", type=pod, name="p", parent=around.urn)
    assert [list(unrendered(Resources(found))) == [] for found in ([around], [around, inside])] == [False, True]
