"""Charts of Go modules, rendered by Helm with the values of recorded plans, against the table of workloads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.workloads import workloads
from gpucluster.sandbox.api_server.binaries import find_binaries
from gpucluster.sandbox.api_server.client import Client, ObjectRefused
from gpucluster.sandbox.api_server.server import open_server
from gpucluster.sandbox.live.charts import CHARTS, RENDERED, render
from tests.components.test_plan_properties import packages, plans

KINDS = {"DaemonSet", "Deployment", "Job", "StatefulSet"}
MODULES = {one.package for one in workloads() if one.known_by == "module"}


def rendered(package: str, values: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name of the release, and workload -> its pods."""
    name = "release" if any("RELEASE" in one.workload for one in workloads() if one.package == package) else package
    asked = {"name": name, "namespace": "any", "values": values}
    made: list[Any] = render({**CHARTS, **RENDERED}[package], asked, print)
    return name, {one["metadata"]["name"]: one["spec"]["template"]["spec"] for one in made if one["kind"] in KINDS}


@pytest.mark.slow
@pytest.mark.parametrize("cloud", [*clouds()])
def test_a_rendered_chart_has_the_workloads_tolerations_and_registries_of_the_table(cloud: str) -> None:
    given = {(package, json.dumps(values)) for plan in plans(cloud).values() for package, values in packages(plan)}
    chosen = sorted(pair for pair in given if pair[0] in MODULES)
    assert {package for package, _ in chosen} >= {"jobset", "kueue", "kubeflow-trainer"}
    for package, text in chosen:
        values = json.loads(text)
        rows = [one for one in workloads() if one.package == package and one.is_there(values)]
        name, pods = rendered(package, values)
        listed = {one.workload.replace("RELEASE", name): one for one in rows}
        tolerated = {name: one.tolerated(values) for name, one in listed.items()}
        assert {name: pod.get("tolerations", []) for name, pod in pods.items()} == tolerated
        for name, pod in pods.items():
            images = [container["image"] for container in [*pod["containers"], *pod.get("initContainers", [])]]
            hosts = {image.partition("/")[0] for image in images}
            mirror = {host for host in hosts if f"{host}/" in text}
            assert hosts == mirror or all(host.endswith(listed[name].registries) for host in hosts), name


@pytest.mark.slow
def test_the_real_api_server_takes_the_pods_in_a_restricted_namespace_that_the_table_says(tmp_path: Path) -> None:
    """With the values of the plans, and with none."""
    given = {(package, json.dumps(values)) for plan in plans("aws").values() for package, values in packages(plan)}
    judged = {one.package for one in workloads() if one.known_by == "module" and one.restricted}
    chosen = sorted({pair for pair in given if pair[0] in judged} | {(package, "{}") for package in judged})
    found: dict[tuple[str, str, str], bool] = {}
    listed: dict[tuple[str, str, str], bool] = {}
    with open_server(tmp_path, find_binaries()) as server:
        client = Client(server)
        labels = {"pod-security.kubernetes.io/enforce": "restricted"}
        client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "strict", "labels": labels}})
        for package, text in chosen:
            values = json.loads(text)
            name, pods = rendered(package, values)
            for workload, spec in pods.items():
                metadata = {"name": "a", "namespace": "strict"}
                spec |= {"serviceAccountName": "default"}
                pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
                try:
                    client.apply(pod, dry_run=True)
                    found[package, text, workload] = True
                except ObjectRefused as refusal:
                    assert "violates PodSecurity" in str(refusal), refusal
                    found[package, text, workload] = False
            for row in (row for row in workloads() if row.package == package and row.is_there(values)):
                listed[package, text, row.workload.replace("RELEASE", name)] = not row.violates_restricted(values)
    assert found.keys() >= {("lws", "{}", "lws-controller-manager")}
    assert {at: found[at] for at in found} == {at: listed.get(at) for at in found}
