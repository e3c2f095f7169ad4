"""Charts of Go modules, rendered by Helm with the values of recorded plans, against the table of workloads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpucluster.catalog.clouds import clouds
from gpucluster.catalog.workloads import workloads
from gpucluster.sandbox.live.charts.fetch import CHARTS, RENDERED
from gpucluster.sandbox.live.charts.render import render
from tests.components.test_plan_properties import packages, plans

MODULES = {one.package for one in workloads() if one.known_by == "module"}


def pods(document: Any) -> dict[str, Any]:
    return document.get("spec", {}).get("template", {}).get("spec") or {}


def hosts(pod: Any) -> set[str]:
    containers = [*pod["containers"], *pod.get("initContainers", [])]
    return {container["image"].partition("/")[0] for container in containers}


@pytest.mark.slow
@pytest.mark.parametrize("cloud", [*clouds()])
def test_a_rendered_chart_has_the_workloads_tolerations_and_registries_of_the_table(cloud: str) -> None:
    given = {(package, json.dumps(values)) for plan in plans(cloud).values() for package, values in packages(plan)}
    seen: set[str] = set()
    for package, text in sorted(pair for pair in given if pair[0] in MODULES):
        seen.add(package)
        values = json.loads(text)
        rows = [one for one in workloads() if one.package == package]
        name = "release" if any("RELEASE" in one.workload for one in rows) else package
        asked = {"name": name, "namespace": "any", "values": values}
        made = [one for one in render({**CHARTS, **RENDERED}[package], asked, print) if pods(one)]
        listed = {one.workload.replace("RELEASE", name): one for one in rows}
        assert {one["metadata"]["name"]: one["kind"] for one in made} == {
            name: one.kind for name, one in listed.items()
        }
        for one in made:
            row = listed[one["metadata"]["name"]]
            assert pods(one).get("tolerations", []) == row.tolerated(values), row.workload
            mirrored = [host for host in hosts(pods(one)) if not host.endswith(row.registries)]
            assert not mirrored or {*mirrored} == hosts(pods(one)), row.workload
            assert [host for host in mirrored if f"{host}/" not in text] == [], row.workload
    assert {"jobset", "kueue", "kubeflow-trainer"} <= seen
