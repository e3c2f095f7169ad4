"""no-privileged-containers: objects of a program, one by one."""

from __future__ import annotations

import pytest

from gpucluster.policies.evaluate import evaluate
from gpucluster.policies.rules.exemptions_in_use import RULE as IN_USE
from gpucluster.policies.rules.no_privileged_containers import RULE

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


def test_all_of_them_are_named(program, found):
    _object(program, "core/v1:Pod", {"containers": [ROOT, {**ROOT, "name": "more"}]})
    assert found(RULE, program) == [("object", "privileged containers `root`, `more`")]


PREPARE = [
    "nccl-tcpx-installer",
    "nccl-tcpxo-installer",
    "nccl-rdma-installer",
    "device-injector",
    "scratch",
    "csi-azurelustre-node-jammy",
    "csi-azurelustre-node-noble",
]


@pytest.mark.parametrize("name", PREPARE)
def test_the_daemons_that_prepare_a_node_are_accepted_by_name_and_told_with_the_reason(program, found, name):
    _object(program, "apps/v1:DaemonSet", _template(ROOT), name, namespace="kube-system")
    assert found(RULE, program) == []
    *_, told = evaluate([RULE, IN_USE], program.stack().resources, today=program.today)
    [(resource, what)] = [(violation.resource.name, violation.what) for violation in told.violations]
    assert resource == name
    assert what.startswith("no-privileged-containers: privileged container `root`; accepted by name: it ")


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
    _object(program, "apps/v1:DaemonSet", _template(ROOT), "agent", namespace="monitoring")
    allowed = {"allowed": {"DaemonSet monitoring/agent": "reads performance counters"}}
    assert found(RULE, program, allowed) == []
    assert [name for name, _ in found(RULE, program, {"allowed": {"DaemonSet monitoring/other": "x"}})] == ["agent"]


@pytest.mark.parametrize(
    "spec",
    [
        {"template": "later"},
        _template({"name": "a", "securityContext": "later"}),
        _template({"name": "a", "securityContext": {"privileged": "later"}}),
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
