"""Every resource of every example, held against every judge; and the page that says how many there are."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pulumi_gcp as gcp
import pytest
from pulumi import _types

from tests.gpucluster.operate.judges.ids import has_form, known

# Thirty-eight programs, twice each.
pytestmark = pytest.mark.timeout(1600)

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "docs/plan/judges.md"
JUDGES = ("aws", "gcp", "azure", "kubernetes")
WITHOUT_SCHEMA = {
    # CloudFormation has it as a part of its repository.
    "aws:ecr/lifecyclePolicy:LifecyclePolicy",
    "gcp:lustre/instance:Instance",
    "gcp:projects/service:Service",
    "gcp:projects/serviceIdentity:ServiceIdentity",
    # A patch names a part of its object.
    "kubernetes:core/v1:ConfigMapPatch",
    "kubernetes:azmonitoring.coreos.com/v1:PodMonitor",
    "kubernetes:azmonitoring.coreos.com/v1:ServiceMonitor",
    "kubernetes:cloud.google.com/v1:ComputeClass",
    "kubernetes:helm.sh/v3:Release",
    "kubernetes:karpenter.k8s.gcp/v1alpha1:GCENodeClass",
    "kubernetes:mellanox.com/v1alpha1:NicClusterPolicy",
}
CLUSTER = "gcp:container/cluster:Cluster"
DEPRECATED = {
    (CLUSTER, path)
    for path in (
        # A cluster begins with a pool, which is removed: pools of their own can be changed apart from it.
        "initialNodeCount",
        "nodeConfig",
        # The SDK has no input for what Google names instead, as the last test here shows.
        "masterAuthorizedNetworksConfig",
        "privateClusterConfig.enablePrivateEndpoint",
        "privateClusterConfig.enablePrivateNodes",
    )
}


@pytest.fixture(scope="module")
def said() -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.gpucluster.operate.judges.every_example"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_no_judge_refuses_a_resource_of_an_example_planned_or_updated(said: list[dict[str, Any]]) -> None:
    refused = {(one["type"], *map(tuple, one["refusals"])) for one in said if one["outcome"] == "refused"}
    assert refused == set()
    kinds = Counter((one["moment"], one["example"], one["type"]) for one in said)
    planned, updated = (
        {tuple(place): count for (when, *place), count in kinds.items() if when == moment}
        for moment in ("planned", "updated")
    )
    assert planned == updated


@pytest.mark.slow
def test_only_what_no_vendor_publishes_a_schema_of_is_not_judged(said: list[dict[str, Any]]) -> None:
    assert {one["type"] for one in said if one["outcome"] == "not judged"} == WITHOUT_SCHEMA


@pytest.mark.slow
def test_every_id_that_the_sandbox_gives_has_the_form_that_a_document_tells(said: list[dict[str, Any]]) -> None:
    given = {(one["type"], one["id"]) for one in said if one["id"] and not one["type"].startswith("kubernetes:")}
    assert len(given) > 100
    assert {(type_, id_) for type_, id_ in given if known(type_) and not has_form(type_, id_)} == set()


@pytest.mark.slow
def test_the_deprecated_inputs_in_use_are_those_without_another(said: list[dict[str, Any]]) -> None:
    assert {(one["type"], path) for one in said for path in one["advice"]} == DEPRECATED


@pytest.mark.slow
def test_the_page_says_how_many_each_judge_saw(said: list[dict[str, Any]]) -> None:
    """UPDATE_GOLDEN=1 writes its table anew."""
    table = _table([one for one in said if one["moment"] == "updated"])
    page = PAGE.read_text()
    if os.environ.get("UPDATE_GOLDEN"):
        page = re.sub(r"(?<=<!-- counts -->\n).*?(?=<!-- end -->)", table, page, flags=re.DOTALL)
        PAGE.write_text(page)
    assert f"<!-- counts -->\n{table}<!-- end -->" in page


def _table(said: list[dict[str, Any]]) -> str:
    rows = [
        "| judge | types | resources | accepted | refused | not judged |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for judge in JUDGES:
        mine = [one for one in said if one["judge"] == judge]
        outcomes = Counter(one["outcome"] for one in mine)
        numbers = (outcomes["accepted"], outcomes["refused"], outcomes["not judged"])
        cells = (f"`{judge}`", len({one["type"] for one in mine}), len(mine), *numbers)
        rows.append(f"| {' | '.join(f'{cell:,}' if isinstance(cell, int) else cell for cell in cells)} |")
    examples = len({one["example"] for one in said})
    return f"Of {examples} examples:\n\n" + "\n".join(rows) + "\n"


def test_the_sdk_of_google_cloud_has_no_input_for_what_google_names_instead() -> None:
    inputs = _types.input_type_types(gcp.container.ClusterArgs)
    endpoints = _types.input_type_types(gcp.container.ClusterControlPlaneEndpointsConfigIpEndpointsConfigArgs)
    assert "networkConfig" not in inputs
    assert {*endpoints} == {"enabled"}
