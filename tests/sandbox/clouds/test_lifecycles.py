"""Clusters of the components in the simulated clouds, without an engine: made, found unchanged, and deleted again."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import pulumi
import pytest
import yaml

from gpucluster.components.cluster.cloud import cloud_of
from gpucluster.components.resources.run import INPUT_ERROR_FILE
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.sandbox.clouds.azure import model
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.values import from_struct, plain
from tests.sandbox.clouds.engine import Made, Stack

ROOT: Final = Path(__file__).parents[3]
GOLDEN: Final = Path(__file__).with_name("lifecycles")
SUBSCRIPTION: Final = "11111111-2222-3333-4444-555555555555"
PLACES: Final[Mapping[str, Mapping[str, Any]]] = {
    "aws": {"region": "us-east-1", "zone": "us-east-1a"},
    "gcp": {"project": "example-ml", "region": "us-central1", "zone": "us-central1-a"},
    "azure": {"subscription": SUBSCRIPTION, "region": "eastus", "number": "1"},
}
STORAGE: Final = {"home": {"expected_gib": 500, "protect": False}, "bucket": {"expected_gib": 500, "protect": False}}
MORE: Final = {"identities": {"data": {"writes": ["own"]}}}
_MAIL: Final = {"mail": ["gpu-oncall@example.com"], "webhook": "https://alerts.example.com/gpus"}
ALERTS: Final = {"aws": _MAIL, "gcp": {"webhook": _MAIL["webhook"]}, "azure": _MAIL}
_LABELS: Final = {"tagsAll", "effectiveLabels", "pulumiLabels", "metadata"}
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(\+00:00|Z)")


def cluster(cloud: str) -> Callable[[], None]:
    """A program with a cluster like the trial's, with more of its own."""
    part = f"gpucluster.components.{cloud}"
    place = import_module(f"{part}.location").Location(**PLACES[cloud])
    trial = yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text())
    spec = trial | MORE | {"storage": trial["storage"] | STORAGE, "telemetry": {"alerts": ALERTS[cloud]}}
    plan = cloud_of(cloud).plan_cluster(ClusterSpec.model_validate(spec), place, "dev")

    def program() -> None:
        provider = import_module(f"{part}.cluster").provider("place", place)
        import_module(f"{part}.cluster").TrainingCluster(
            plan.name, plan, opts=pulumi.ResourceOptions(providers=[provider])
        )

    return program


def computed(made: Iterable[Made]) -> str:
    """What a cloud adds to the inputs, of one resource of each type: the first by name."""
    lines: dict[str, str] = {}
    for one in sorted(made, key=lambda one: one.urn):
        inputs, outputs = from_struct(one.inputs), from_struct(one.outputs)
        type_, name = one.urn.split("::")[2:]
        added = {key: it for key, it in outputs.items() if it != inputs.get(key) and key not in _LABELS}
        said = "".join(f"\n  {key}: {json.dumps(it, sort_keys=True)}" for key, it in sorted(plain(added).items()))
        lines.setdefault(type_, _DAY.sub("DAY", f"{type_} {name}: {one.id}{said}"))
    return "\n".join(lines.values()) + "\n"


@pytest.mark.parametrize("cloud", PLACES)
def test_a_cluster_is_made_found_unchanged_and_deleted(
    schemas: Mapping[str, Schema], ledger: Ledger, monkeypatch: pytest.MonkeyPatch, cloud: str
) -> None:
    """UPDATE_GOLDEN=1 writes anew what the clouds compute; read it."""
    monkeypatch.setenv(INPUT_ERROR_FILE, os.devnull)  # simulated: waits for what is granted take no time
    stack, random = Stack("dev", schemas, ledger), defaultdict[str, "count[int]"](count)

    def token_hex(length: int) -> str:
        return hashlib.sha512(f"{stack.urn} {next(random[stack.urn])}".encode()).hexdigest()[: 2 * length]

    monkeypatch.setattr(secrets, "token_hex", token_hex)
    monkeypatch.setattr(model, "uuid4", lambda: UUID(token_hex(16)))
    program = cluster(cloud)
    stack.up(program)
    assert {urn: id_ for urn, (id_, _) in stack.read().items()} == {urn: made.id for urn, made in stack.made.items()}
    assert stack.preview(program) == {}
    text = computed(stack.made.values())
    stack.destroy()
    assert ledger.all() == []
    golden = GOLDEN / f"{cloud}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text)
    assert text == golden.read_text()
