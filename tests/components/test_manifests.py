"""Wrong objects are refused in a plan, by a model of their kind; and so they are by a real API server.

`manifests/right.yaml` has a right object of each kind, `wrong.yaml` a mistake a row, `said.txt` what the program says
of it; UPDATE_GOLDEN=1 writes that anew.
"""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.kubernetes import charts
from gpucluster.components.kubernetes.objects import Spec, check
from gpucluster.components.plan import PlanError
from gpucluster.sandbox.api_server.binaries import find_binaries
from gpucluster.sandbox.api_server.client import Client, ObjectRefused
from gpucluster.sandbox.api_server.definitions import definitions_of, source_of
from gpucluster.sandbox.api_server.server import open_server

FOLDER = Path(__file__).with_name("manifests")
RIGHT: dict[str, dict[str, Any]] = yaml.safe_load((FOLDER / "right.yaml").read_text())
WRONG: dict[str, dict[str, Any]] = yaml.safe_load((FOLDER / "wrong.yaml").read_text())
SAID = FOLDER / "said.txt"
MODULES = (
    "aws.ec2_node_class",
    "azure.aks_node_class",
    "azure.nic_cluster_policy",
    "azure.node_feature_rule",
    "azure.pod_monitor",
    "gcp.compute_class",
    "gcp.gce_node_class",
    "gcp.managed_prometheus",
    "gcp.network_objects",
    "kubernetes.kueue",
    "kubernetes.node_pool",
    "kubernetes.training_runtime",
)
# Kinds whose definitions are no module's: docs/real-api-server.md.
UNCHECKED = {"ComputeClass", "GCENodeClass", "NicClusterPolicy", "PodMonitor"}


def _models() -> dict[str, type[Spec]]:
    modules = [import_module(f"gpucluster.components.{name}") for name in MODULES]
    found = [item for module in modules for item in vars(module).values()]
    return {item.kind: item for item in found if isinstance(item, type) and issubclass(item, Spec) and item is not Spec}


MODELS = _models()


def _changed(row: dict[str, Any]) -> dict[str, Any]:
    """The right object of a kind with one field changed; "" is the object itself, whose fields are set or added."""
    spec = copy.deepcopy(RIGHT[row["kind"]])
    if not row["field"]:
        return {**spec, **row["value"]}
    *parents, last = (int(step) if step.isdecimal() else step for step in _steps(row["field"]))
    place: Any = spec
    for step in parents:
        place = place[step] if isinstance(step, int) else place.setdefault(step, {})
    if row["value"] is None:
        del place[last]
    else:
        place[last] = row["value"]
    return spec


def _steps(field: str) -> list[str]:
    return field.split(".")


def _problems(kind: str, spec: dict[str, Any]) -> list[str]:
    try:
        check(MODELS[kind], spec, f"{kind} it", at="spec")
    except PlanError as error:
        return list(map(str, error.problems))
    return []


def _said() -> dict[str, list[str]]:
    blocks = re.findall(r"^(\S+)\n((?:  .*\n)+)", SAID.read_text(), flags=re.MULTILINE)
    return {name: [line.removeprefix("  ") for line in lines.splitlines()] for name, lines in blocks}


def test_right_objects_are_of_kinds_that_have_a_model_and_a_definition() -> None:
    assert {*RIGHT} <= {*MODELS} - UNCHECKED


@pytest.mark.parametrize("kind", RIGHT)
def test_the_models_take_what_is_right(kind: str) -> None:
    assert _problems(kind, RIGHT[kind]) == []


def test_every_mistake_is_refused_in_the_plan_with_its_field_its_value_and_what_to_change() -> None:
    found = {name: _problems(row["kind"], _changed(row)) for name, row in WRONG.items()}
    if os.environ.get("UPDATE_GOLDEN"):
        SAID.write_text("".join("\n  ".join([name, *lines]) + "\n" for name, lines in found.items()))
    assert [name for name, lines in found.items() if not lines] == []
    assert found == _said()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A real API server with the definitions that the clusters of the three clouds have together."""
    brought = {
        "karpenter-crd": charts.KARPENTER_CRD,
        "kubeflow-trainer": charts.TRAINER,
        "kueue": charts.KUEUE,
        "network-operator": charts.NETWORK_OPERATOR,
    }
    with open_server(tmp_path_factory.mktemp("server"), find_binaries()) as server:
        client = Client(server)
        for chart in (
            ("gke", ""),
            ("gke-prometheus", ""),
            ("aks", ""),
            *((name, chart.version) for name, chart in brought.items()),
        ):
            source = source_of(*chart)
            assert source is not None
            client.define(definitions_of(source))
        yield client


def _judge(client: Client, kind: str, spec: dict[str, Any]) -> str:
    """What the server says of an object; nothing where it takes it."""
    fields = {"spec": spec} if MODELS[kind].nested else spec
    document = {"apiVersion": MODELS[kind].api_version, "kind": kind, "metadata": {"name": "it"}, **fields}
    try:
        client.apply(document, dry_run=True)
    except ObjectRefused as refusal:
        return str(refusal)
    return ""


@pytest.mark.slow
def test_a_real_api_server_takes_what_is_right_and_refuses_every_mistake_that_is_not_left_to_a_controller(
    client: Client,
) -> None:
    assert {kind: said for kind, spec in RIGHT.items() if (said := _judge(client, kind, spec))} == {}
    taken = {name for name, row in WRONG.items() if not _judge(client, row["kind"], _changed(row))}
    assert taken == {name for name, row in WRONG.items() if "taken" in row}, json.dumps(sorted(taken))
