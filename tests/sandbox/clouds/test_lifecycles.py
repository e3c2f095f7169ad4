"""Clusters of the components in the simulated clouds, without an engine: made, found unchanged, and deleted again."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any, Final, NoReturn
from uuid import UUID

import grpc
import pulumi
import pytest
import yaml
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs, Mocks
from pulumi.runtime.proto import provider_pb2

from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.sandbox.clouds.azure import identity
from gpucluster.sandbox.clouds.ledger import Ledger
from gpucluster.sandbox.clouds.provider import Provider
from gpucluster.sandbox.clouds.registry import SIMULATED
from gpucluster.sandbox.clouds.schema import Schema
from gpucluster.sandbox.clouds.values import from_struct, plain, to_struct

ROOT: Final = Path(__file__).parents[3]
GOLDEN: Final = Path(__file__).with_name("lifecycles")
SUBSCRIPTION: Final = "11111111-2222-3333-4444-555555555555"
PLACES: Final[Mapping[str, Mapping[str, Any]]] = {
    "aws": {"region": "us-east-1", "zone": "us-east-1a", "cluster_zones": ("us-east-1a", "us-east-1b")},
    "gcp": {"project": "example-ml", "region": "us-central1", "zone": "us-central1-a"},
    "azure": {"subscription": SUBSCRIPTION, "region": "eastus", "number": "1"},
}
STORAGE: Final = {"home": {"expected_gib": 500, "protect": False}, "bucket": {"expected_gib": 500, "protect": False}}
MORE: Final = {"identities": {"data": {"writes": ["own"]}}}
_MAIL: Final = {"mail": ["gpu-oncall@example.com"], "webhook": "https://alerts.example.com/gpus"}
ALERTS: Final = {"aws": _MAIL, "gcp": {"webhook": _MAIL["webhook"]}, "azure": _MAIL}
_LABELS: Final = {"tagsAll", "effectiveLabels", "pulumiLabels", "metadata"}
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(\+00:00|Z)")


class RefusedError(Exception):
    """What a call ends with."""


class Context:
    """The part of a gRPC context that the provider uses."""

    def set_trailing_metadata(self, metadata: object) -> None:
        del metadata

    def abort(self, code: grpc.StatusCode, message: str) -> NoReturn:
        raise RefusedError(f"{code}: {message}")


@dataclass
class Made:
    """provider: that made it. inputs: as checked."""

    provider: Provider
    urn: str
    id: str
    inputs: Any
    outputs: Any


class Engine(Mocks):
    """Checks and creates what a program registers, each by the provider that the program gives it."""

    def __init__(self, schemas: Mapping[str, Schema], ledger: Ledger) -> None:
        self.schemas, self.ledger = schemas, ledger
        self.providers: dict[str, Provider] = {}
        self.made: list[Made] = []
        self.urn, self.random = "", count()
        self.lock = Lock()

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        with self.lock:
            return self._made(args)

    def _made(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        urn = f"urn:pulumi:dev::small::{args.typ}::{args.name}"
        if args.typ.startswith("pulumi:providers:"):
            package = args.typ.rpartition(":")[2]
            made = Provider(SIMULATED[package](), self.schemas[package], self.ledger)
            texts = {key: it if isinstance(it, str) else json.dumps(it) for key, it in args.inputs.items()}
            made.Configure(provider_pb2.ConfigureRequest(urn=urn, id=args.name, args=to_struct(texts)), Context())
            self.providers[args.name] = made
            return args.name, {}
        if not args.custom:
            return None, args.inputs
        provider = self.providers[str(args.provider).split("::")[3]]
        self.urn, self.random = urn, count()
        request = provider_pb2.CheckRequest(urn=urn, news=to_struct(args.inputs), randomSeed=args.name.encode())
        checked = provider.Check(request, Context())
        assert [(args.name, it.property, it.reason) for it in checked.failures] == []
        planned = provider.Create(
            provider_pb2.CreateRequest(urn=urn, properties=checked.inputs, preview=True), Context()
        )
        made = provider.Create(provider_pb2.CreateRequest(urn=urn, properties=checked.inputs), Context())
        assert set(planned.properties) <= set(made.properties)
        self.made.append(Made(provider, urn, made.id, checked.inputs, made.properties))
        return made.id, dict(plain(from_struct(made.properties)))

    def call(self, args: MockCallArgs) -> Any:
        provider = self.providers[str(args.provider).split("::")[3]]
        request = provider_pb2.InvokeRequest(tok=args.token, args=to_struct(args.args))
        return dict(plain(from_struct(getattr(provider.Invoke(request, Context()), "return"))))


def declare(engine: Engine, cloud: str) -> None:
    """Runs a program with a cluster like the trial's, with more of its own."""
    part = f"gpucluster.components.{cloud}"
    place = import_module(f"{part}.location").Location(**PLACES[cloud])
    trial = yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text())
    spec = trial | MORE | {"storage": trial["storage"] | STORAGE, "telemetry": {"alerts": ALERTS[cloud]}}
    plan = import_module(f"{part}.plan").plan_cluster(ClusterSpec.model_validate(spec), place, stack="dev")
    pulumi.runtime.set_mocks(engine, project="small", stack="dev", preview=False)

    @pulumi.runtime.test
    def program() -> None:
        provider = import_module(f"{part}.provider").provider("place", place)
        import_module(f"{part}.cluster").TrainingCluster(
            plan.name, plan, opts=pulumi.ResourceOptions(providers=[provider])
        )

    program()


def computed(made: list[Made]) -> str:
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
    engine = Engine(schemas, ledger)

    def token_hex(length: int) -> str:
        return hashlib.sha512(f"{engine.urn} {next(engine.random)}".encode()).hexdigest()[: 2 * length]

    monkeypatch.setattr(secrets, "token_hex", token_hex)
    monkeypatch.setattr(identity, "uuid4", lambda: UUID(token_hex(16)))
    declare(engine, cloud)
    for made in engine.made:
        checked = made.provider.Check(
            provider_pb2.CheckRequest(urn=made.urn, olds=made.inputs, news=made.inputs), Context()
        )
        diff = made.provider.Diff(
            provider_pb2.DiffRequest(
                id=made.id, urn=made.urn, olds=made.outputs, old_inputs=made.inputs, news=checked.inputs
            ),
            Context(),
        )
        assert (made.urn, diff.changes, list(diff.diffs)) == (made.urn, provider_pb2.DiffResponse.DIFF_NONE, [])
        read = made.provider.Read(
            provider_pb2.ReadRequest(id=made.id, urn=made.urn, properties=made.outputs), Context()
        )
        assert read.id == made.id
    text = computed(engine.made)
    for made in reversed(engine.made):
        made.provider.Delete(provider_pb2.DeleteRequest(id=made.id, urn=made.urn, properties=made.outputs), Context())
    assert ledger.all() == []
    golden = GOLDEN / f"{cloud}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text)
    assert text == golden.read_text()
