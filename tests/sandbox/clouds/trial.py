"""A case of `cases/CLOUD/*.yaml`: pieces of a program, and what the simulated cloud says of them.

    given: {net: [{ec2/Vpc vpc: {cidrBlock: 10.0.0.0/16}}]}   # in given.yaml for all files of the folder
    cases:
    - says: a subnet lies in its network
      given: [net]                  # made first, then `make`; `with: {vpc: {..}}` changes their inputs
      make: [{ec2/Subnet there: {vpcId: $vpc, cidrBlock: 10.0.0.0/24}}]
      try: ec2/Subnet it            # or update: NAME, or check: TYPE NAME, which lists the wrong inputs
      inputs: {vpcId: $vpc}
      refused: [[{cidrBlock: 10.9.0.0/24}, InvalidSubnet.Range]]   # a change of the inputs, and facts of the refusal
      taken: [{cidrBlock: 10.0.1.0/24}, [{cidrBlock: 10.0.2.0/24}, {id: ~subnet-.*}]]   # and facts of the outputs
      deletes: {vpc: [DependencyViolation]}   # facts of the refusal; [] where it goes, false where it stays

`$vpc` is an id, `$vpc.arn` or `$vpc.name` something else of it, `${vpc}/x` a part of a text. A change goes into nested
objects; null takes away, a key with ! takes the place of what was there, AS tries something else. `k{0..3}` is four
keys or steps, `{each: 0..3, a: b{at}}` four items of a list (`#{at}` the number), `(n*9)` nine times n. `in` is
AWS's region, or the cluster that Kubernetes runs in; with `and_updates` updates are refused as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from gpucluster.sandbox.clouds.aws.cloud import AwsAccount
from gpucluster.sandbox.clouds.azure.cloud import AzureAccount
from gpucluster.sandbox.clouds.azure.cloud import Settings as AzureSettings
from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.gcp.cloud import GcpAccount
from gpucluster.sandbox.clouds.gcp.cloud import Settings as GcpSettings
from gpucluster.sandbox.clouds.kubernetes.cloud import Kubernetes
from gpucluster.sandbox.clouds.kubernetes.cluster import Cluster
from gpucluster.sandbox.clouds.kubernetes.objects import api_servers
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.schema import Schema
from tests.sandbox.clouds.conftest import created

__all__ = ["Trial", "cases"]

FOLDER: Final = Path(__file__).with_name("cases")
SUBSCRIPTION: Final = "11111111-2222-3333-4444-555555555555"
PACKAGES: Final = {"azure": "azure-native"}
_SAYS: Final = frozenset({"refused", "taken", "deletes"})
_KEYS: Final = _SAYS | {"says", "in", "given", "with", "make", "try", "update", "check", "inputs", "and_updates"}
_REFERENCE: Final = re.compile(r"\$(?:\{([\w-]+)((?:\.\w+)*)\}|([a-z][\w-]*)((?:\.\w+)*)$)")


@cache
def _read(file: Path) -> Any:
    return yaml.load(file.read_text(), yaml.CSafeLoader) if file.exists() else {}


def cases() -> Iterator[Any]:
    """Parameters: the cloud, what is given in its files, a case."""
    for file in sorted(FOLDER.glob("*/*.yaml")):
        given = {**_read(file.with_name("given.yaml")).get("given", {}), **_read(file).get("given", {})}
        for case in _read(file).get("cases", []):
            yield pytest.param(file.parent.name, given, case, id=f"{file.parent.name}-{file.stem}: {case['says']}")


class Trial:
    """The cloud of a case. there: name -> what was made."""

    def __init__(self, cloud: str, ledger: Ledger, schemas: Mapping[str, Schema], settings: Mapping[str, Any]) -> None:
        self._package, self.ledger = PACKAGES.get(cloud, cloud), ledger
        self._schema, self.there = schemas[self._package], dict[str, Entry]()
        self.account = self._account(cloud, settings)

    def _account(self, cloud: str, settings: Mapping[str, Any]) -> Any:
        if cloud == "aws":
            return AwsAccount(self.ledger, settings.get("region", "us-east-1"), {})
        if cloud == "gcp":
            return GcpAccount(self.ledger, GcpSettings(project="p", region="us-central1"))
        if cloud == "azure":
            return AzureAccount(self.ledger, AzureSettings(subscription=SUBSCRIPTION))
        of = Entry(
            provider=settings["type"].partition(":")[0], scope="s", type=settings["type"], id="c", name="c", urn="u",
            inputs=settings.get("inputs", {}), outputs=settings["outputs"],
        )  # fmt: skip
        self.ledger.put(of)
        return Cluster(self.ledger, api_servers(of)[0], {})

    def run(self, given: Mapping[str, Any], case: Mapping[str, Any]) -> None:
        """Makes what is there, tries what the case tries, and asserts what it says."""
        assert case.keys() <= _KEYS and not case.keys().isdisjoint(_SAYS), case.keys()
        for steps in (*(given[name] for name in case.get("given", ())), case.get("make", ())):
            for step in steps:
                for heading, inputs in _expanded(step).items():
                    change = case.get("with", {}).get(heading.partition(" ")[2], {})
                    self.there[heading.partition(" ")[2]] = self.make(heading, _merged(inputs or {}, change))
        changed = case.get("with", {}).keys()
        assert changed <= self.there.keys(), changed
        for row in case.get("refused", ()):
            self._refused(case, row)
        for row in case.get("taken", ()):
            self._taken(case, *(row if isinstance(row, list) else (row, {})))
        for name, facts in case.get("deletes", {}).items():
            self._deleted(name, facts)

    def make(self, heading: str, inputs: Mapping[str, Any]) -> Entry:
        """Creates it as the engine would, and puts it into the ledger."""
        return created(self.account, self.asked(heading, inputs))

    def asked(self, heading: str, inputs: Mapping[str, Any]) -> Resource:
        """`TYPE NAME` with inputs that may refer to what is there."""
        short, _, name = heading.partition(" ")
        token = f"{self._package}:{self._token(short)}"
        of = Kubernetes() if self._package == "kubernetes" else None
        type_ = of.resource_type(self._schema, token) if of else self._schema.resource_type(token)
        assert type_ is not None, token
        return Resource(urn=f"urn:pulumi:dev::small::{token}::{name}", type=type_, inputs=self._filled(inputs))

    def _token(self, short: str) -> str:
        if ":" in short:
            return short
        module, _, kind = short.partition("/")
        return f"{module}/{kind[0].lower()}{kind[1:]}:{kind}"

    def _asked(self, case: Mapping[str, Any], change: Mapping[str, Any], kind: str) -> tuple[str, dict[str, Any]]:
        own = {key: value for key, value in change.items() if key != "AS"}
        return change.get("AS", case[kind]), _merged(case.get("inputs", {}), own)

    def _tried(self, case: Mapping[str, Any], change: Mapping[str, Any]) -> Entry:
        if "update" not in case:
            return self.make(*self._asked(case, change, "try"))
        there = self.there[case["update"]]
        asked = self.asked(f"{there.type.partition(':')[2]} {case['update']}", _merged(there.inputs, change))
        made = self.account.update(replace(asked, id=there.id, old_inputs=there.inputs, outputs=there.outputs))
        return replace(there, outputs=made.outputs)

    def _refused(self, case: Mapping[str, Any], row: Any) -> None:
        change, *facts = row
        assert facts or "check" in case, change
        if "check" in case:
            failures = self.account.failures(self.asked(*self._asked(case, change, "check")))
            assert [failure.path for failure in failures] == facts, change
            return
        self._refuses(facts, change, lambda: self._tried(case, change))
        if case.get("and_updates"):
            asked = replace(self.asked(*self._asked(case, change, "try")), id="it")
            self._refuses(facts, change, lambda: self.account.update(asked))

    def _refuses(self, facts: list[Any], what: object, ask: Callable[[], object]) -> None:
        with pytest.raises(CloudError) as refusal:
            ask()
            pytest.fail(f"{what} is taken")
        said = str(refusal.value)
        assert [fact for fact in facts if str(self._filled(fact)) not in said] == [], f"{what}: {said}"

    def _taken(self, case: Mapping[str, Any], change: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
        if "check" in case:
            self._refused(case, [change])
            return
        try:
            made = self._tried(case, change)
        except CloudError as refusal:
            pytest.fail(f"{change}: {refusal}")
        wrong = [key for key, value in facts.items() if not _is(made, key, self._filled(value))]
        assert wrong == [], f"{change}: not {wrong}: {made}"
        if "update" not in case:
            self.ledger.remove(made.provider, made.scope, made.type, made.id)

    def _deleted(self, name: str, facts: Any) -> None:
        entry = self.there[name]
        if facts:
            self._refuses(facts, name, lambda: self.account.delete(entry))
        else:
            gone = self.account.delete(entry)
            assert gone is (facts is not False), f"{name}: gone is {gone}"

    def _filled(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {_long(key): self._filled(inner) for key, inner in _expanded(value).items()}
        if isinstance(value, list):
            return [self._filled(inner) for item in value for inner in _each(item)]
        if not isinstance(value, str):
            return value
        value = _long(value)
        if (whole := _REFERENCE.fullmatch(value)) is not None:
            return self._part(whole)
        return _REFERENCE.sub(lambda found: str(self._part(found)), value)

    def _part(self, found: re.Match[str]) -> Any:
        entry = self.there[found[1] or found[3]]
        path = (found[2] or found[4] or "").strip(".")
        return entry.id if not path else entry.name if path == "name" else _at(entry.outputs, path)


def _long(text: str) -> str:
    return re.sub(r"\((.)\*(\d+)\)", lambda found: found[1] * int(found[2]), text)


def _is(made: Entry, key: str, value: Any) -> bool:
    found = made.id if key == "id" else made.name if key == "name" else _at(made.outputs, key)
    return bool(re.fullmatch(value[1:], found)) if isinstance(value, str) and value[:1] == "~" else found == value


def _at(value: Any, path: str) -> Any:
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def _merged(inputs: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(inputs)
    for key, value in change.items():
        there = merged.get(key)
        if isinstance(value, Mapping) and isinstance(there, Mapping):
            value = _merged(there, value)
        merged[key.removesuffix("!")] = value
    return {key: value for key, value in merged.items() if value is not None}


def _expanded(value: Mapping[str, Any]) -> dict[str, Any]:
    """With `k{0..3}` as four keys."""
    found: dict[str, Any] = {}
    for key, inner in value.items():
        numbers = re.search(r"\{(\d+)\.\.(\d+)\}", key)
        if numbers is None:
            found[key] = inner
            continue
        for at in range(int(numbers[1]), int(numbers[2]) + 1):
            found[key.replace(numbers[0], str(at))] = _numbered(inner, at)
    return found


def _each(item: Any) -> Iterator[Any]:
    if not (isinstance(item, Mapping) and "each" in item):
        yield item
        return
    first, last = map(int, item["each"].split(".."))
    for at in range(first, last + 1):
        yield _numbered({key: value for key, value in item.items() if key != "each"}, at)


def _numbered(value: Any, at: int) -> Any:
    if isinstance(value, Mapping):
        return {key.replace("{at}", str(at)): _numbered(inner, at) for key, inner in value.items()}
    if isinstance(value, list):
        return [_numbered(inner, at) for inner in value]
    return at if value == "#{at}" else value.replace("{at}", str(at)) if isinstance(value, str) else value
