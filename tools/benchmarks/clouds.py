"""The simulated clouds at scale: a check, a create and a delete among 10,000 resources, and among 100."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any, Final

from pulumi.runtime.proto import provider_pb2

from gpucluster.sandbox.clouds.provider import Provider
from gpucluster.sandbox.clouds.registry import Clouds
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages
from gpucluster.sandbox.clouds.types.values import from_wire, to_struct, to_wire
from tools.benchmarks.harness import Bar

FEW, FULL, TIMES = 100, 10_000, 40
_TRUST: Final = json.dumps({"Version": "2012-10-17", "Statement": []})
_GROUP: Final = "azure-native:resources:ResourceGroup"
_SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "aws": {"region": "us-east-1"},
    "gcp": {"project": "full", "region": "us-central1"},
    "azure-native": {"subscriptionId": "11111111-2222-3333-4444-555555555555", "location": "eastus"},
}
_KINDS: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = (
    ("aws:ec2/vpc:Vpc", {"cidrBlock": "10.0.0.0/16"}),
    ("aws:s3/bucket:Bucket", {}),
    ("aws:iam/role:Role", {"assumeRolePolicy": _TRUST}),
    ("aws:ec2/securityGroup:SecurityGroup", {}),
    ("aws:cloudwatch/logGroup:LogGroup", {}),
    ("gcp:compute/network:Network", {"autoCreateSubnetworks": False}),
    ("gcp:storage/bucket:Bucket", {"location": "US"}),
    ("gcp:serviceaccount/account:Account", {"accountId": "account-{n}"}),
    (_GROUP, {}),
    ("azure-native:network:VirtualNetwork", {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}),
    ("azure-native:managedidentity:UserAssignedIdentity", {}),
)


class _Call:
    """The end of a refused call."""

    def abort(self, code: object, message: str) -> None:
        raise SystemExit(f"{code}: {message}")


@dataclass
class _Cloud:
    """A cloud with one provider. It accepts any number of each type."""

    provider: Provider
    ledger: Ledger
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def make(self, token: str, inputs: Mapping[str, Any]) -> Entry:
        """Like a request from the engine."""
        number = next(self.numbers)
        urn = f"urn:pulumi:full::full::{token}::n{number}"
        given = {key: value.format(n=number) if key == "accountId" else value for key, value in inputs.items()}
        asked = provider_pb2.CheckRequest(urn=urn, news=to_struct(given), randomSeed=number.to_bytes(32, "big"))
        checked = self.provider.Check(asked, _Call())
        assert not checked.failures, checked.failures
        made = self.provider.Create(provider_pb2.CreateRequest(urn=urn, properties=checked.inputs), _Call())
        return next(entry for entry in self.ledger.with_id(made.id, {token}) if entry.urn == urn)

    def fill(self, entry: Entry, amount: int) -> None:
        """Creates the same resource in the clouds repeatedly, with different names."""
        document = json.dumps([to_wire(entry.inputs), to_wire(entry.outputs)])
        own = {text for text in (entry.id, entry.name) if text}
        with self.ledger.exclusive():
            for at in range(amount):
                changed = document
                for text in sorted(own, key=len, reverse=True):
                    changed = changed.replace(text, f"{text}f{at}")
                inputs, outputs = json.loads(changed)
                names = {"id": f"{entry.id}f{at}", "name": entry.name and f"{entry.name}f{at}"}
                values = {"inputs": from_wire(inputs), "outputs": from_wire(outputs)}
                self.ledger.put(replace(entry, urn=f"{entry.urn}f{at}", **names, **values))

    def cost(self, token: str, inputs: Mapping[str, Any]) -> float:
        """Seconds of CPU for a check, a create and a delete."""
        begun = time.process_time()
        entry = self.make(token, inputs)
        asked = provider_pb2.DeleteRequest(id=entry.id, urn=entry.urn, properties=to_struct(entry.outputs))
        self.provider.Delete(asked, _Call())
        return time.process_time() - begun


def bars() -> list[Bar]:
    """The ratio of medians of interleaved runs; each type among as many of the same type."""
    return [_bar(token, inputs) for token, inputs in _KINDS]


def _bar(token: str, inputs: Mapping[str, Any]) -> Bar:
    with tempfile.TemporaryDirectory() as folder:
        few, full = (_filled(Path(folder) / str(amount), token, inputs, amount) for amount in (FEW, FULL))
        given = {"resourceGroupName": "around", **inputs} if _is_in_group(token) else inputs
        costs = [(few.cost(token, given), full.cost(token, given)) for _ in range(TIMES)]
    small, large = (statistics.median(cost) for cost in zip(*costs, strict=True))
    print(f"{token}: {small * 1e3:.2f} ms among {FEW}, {large * 1e3:.2f} ms among {FULL:,}")
    package, _, kind = token.split(":")
    return Bar(f"{kind} of {package}: made among {FULL:,} / {FEW}", large / small, 1.5)


def _filled(folder: Path, token: str, inputs: Mapping[str, Any], amount: int) -> _Cloud:
    package = token.partition(":")[0]
    ledger = Ledger(folder / "ledger")
    cloud = _Cloud(Clouds(installed_sdks(site_packages(None)), ledger).provider(package), ledger)
    cloud.provider.Configure(provider_pb2.ConfigureRequest(args=to_struct(_SETTINGS[package])), _Call())
    if _is_in_group(token):
        cloud.make(_GROUP, {"resourceGroupName": "around"})
        inputs = {"resourceGroupName": "around", **inputs}
    cloud.fill(cloud.make(token, inputs), amount)
    return cloud


def _is_in_group(token: str) -> bool:
    return token.startswith("azure-native:") and token != _GROUP
