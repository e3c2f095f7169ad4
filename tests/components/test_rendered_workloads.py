"""Charts of Go modules, rendered by Helm with the values of recorded plans, against the table of workloads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.workloads import workloads
from gpucluster.sandbox.live.charts import CHARTS, RENDERED, render
from tests.components.test_plan_properties import packages, plans

KINDS = {"DaemonSet", "Deployment", "Job", "StatefulSet"}
MODULES = {one.package for one in workloads() if one.known_by == "module"}


@pytest.mark.slow
@pytest.mark.parametrize("cloud", [*clouds()])
def test_a_rendered_chart_has_the_workloads_tolerations_and_registries_of_the_table(cloud: str) -> None:
    given = {(package, json.dumps(values)) for plan in plans(cloud).values() for package, values in packages(plan)}
    chosen = sorted(pair for pair in given if pair[0] in MODULES)
    assert {package for package, _ in chosen} >= {"jobset", "kueue", "kubeflow-trainer"}
    for package, text in chosen:
        rows = [one for one in workloads() if one.package == package]
        name = "release" if any("RELEASE" in one.workload for one in rows) else package
        values = json.loads(text)
        asked = {"name": name, "namespace": "any", "values": values}
        made: list[Any] = render({**CHARTS, **RENDERED}[package], asked, print)
        pods = {one["metadata"]["name"]: one["spec"]["template"]["spec"] for one in made if one["kind"] in KINDS}
        listed = {one.workload.replace("RELEASE", name): one for one in rows}
        tolerated = {name: one.tolerated(values) for name, one in listed.items()}
        assert {name: pod.get("tolerations", []) for name, pod in pods.items()} == tolerated
        for name, pod in pods.items():
            images = [container["image"] for container in [*pod["containers"], *pod.get("initContainers", [])]]
            hosts = {image.partition("/")[0] for image in images}
            mirror = {host for host in hosts if f"{host}/" in text}
            assert hosts == mirror or all(host.endswith(listed[name].registries) for host in hosts), name
