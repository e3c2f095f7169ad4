"""Mutation of plans: one input at a time is set, of every priced type and everything that its SDK knows.

`python -m tests.cost.pricing.mutation` prints, for each cloud, how many inputs move an amount, are named by the report,
are free, and have no effect; `--silent` lists those. Every input of a resource without a line is
named, or free, with the resource.
"""

from __future__ import annotations

import copy
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import yaml

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Assumptions, Estimate, PriceBook, estimate
from gpucluster.cost.handlers.registry import priced_types
from gpucluster.cost.pricing.inputs import TEMPLATES, effect_of
from tests.cost.conftest import TODAY
from tests.cost.handlers.test_bills import FILES, REGIONS, _resources, _stack
from tests.cost.pricing.sdk import inputs_of
from tests.cost.types.test_types import SAMPLES
from tests.gpucluster.core.program.fixtures import make

Verdict = Literal["moves", "named", "free", "silent"]
ALWAYS_FREE = {"aws:acm/certificate:Certificate", "gcp:secretmanager/secret:Secret"}
"""Types with a rate that says that they are free."""
_MOST_STACKS = 6
"""Stacks in which an input that is free by the table is tried."""
_WORDS = ("aurora-iopt1", "FileStorage", "Kubernetes", "READ_REPLICAS_ENABLED", "SCRATCH", "SPECIFIC_RESERVATION",
          "SQLSERVER_2019_STANDARD")  # fmt: skip
"""Values that decide how one type is billed."""
_VALUES: Mapping[str, Sequence[Any]] = {
    "Sequence": (["mutant"],),
    "Mapping": ({"mutant": "mutant"},),
    "_builtins.bool": (True, False),
    "_builtins.int": (7, 70_000, 10, 0),
    "_builtins.float": (7.5, 0),
    "_builtins.str": ("mutant", "Windows", "Stopped", "TERMINATED", "Spot", "INTERNAL", *_WORDS),
    "": ("mutant", 7),
}


@dataclass(frozen=True)
class Stack:
    """Resources with a bill, of which one is changed."""

    resources: tuple[Resource, ...]
    urn: str
    usage: Mapping[str, str]

    @property
    def resource(self) -> Resource:
        """The one that is changed."""
        return next(one for one in self.resources if one.urn == self.urn)

    def bill(self, inputs: Mapping[str, Any]) -> Estimate:
        """With other inputs of that resource."""
        changed = [replace(one, inputs=inputs) if one.urn == self.urn else one for one in self.resources]
        return estimate(Resources(changed, default_regions=REGIONS), _book(), Assumptions().with_values({**self.usage}))


@cache
def _book() -> PriceBook:
    return PriceBook(today=TODAY)


@cache
def stacks() -> Mapping[str, Sequence[Stack]]:
    """Type -> stacks in which a resource of it is priced: the samples of types, and those of handlers' bills."""
    found: dict[str, list[Stack]] = {}
    factory: Any = getattr(make, "__wrapped__", make)
    new = factory()
    for type_, sample in SAMPLES.items():
        inputs = {key: value for key, value in sample.items() if key != "usage"}
        resource = new(type_, **inputs)
        values = {name: str(value) for name, value in sample.get("usage", {}).items()}
        found.setdefault(type_, []).append(Stack((resource,), resource.urn, values))
    for file in FILES:
        written = yaml.load(file.read_text(), yaml.CSafeLoader)
        for entry in written["bills"]:
            resources = tuple(_resources(new, _stack(written, entry)))
            values = {name: str(value) for name, value in entry.get("usage", {}).items()}
            for resource in resources:
                found.setdefault(resource.type, []).append(Stack(resources, resource.urn, values))
    return {type_: _priced(type_, of) for type_, of in found.items()}


def _priced(type_: str, of: Sequence[Stack]) -> Sequence[Stack]:
    """Those with a line of the resource, each with other inputs, first those with most inputs."""
    different = {repr(one.resource.inputs): one for one in of}
    with_line = [one for one in different.values() if type_ in TEMPLATES or _has_line(one)]
    return sorted(with_line or list(different.values()), key=lambda one: -len(repr(one.resource.inputs)))


def _has_line(stack: Stack) -> bool:
    return any(line.urn == stack.urn for line in stack.bill(stack.resource.inputs).lines)


def types() -> list[str]:
    """The types of the clouds that are priced, and the templates of machines."""
    return [type_ for type_ in (*priced_types(), *sorted(TEMPLATES))
            if not type_.startswith("kubernetes:") and type_ not in ALWAYS_FREE]  # fmt: skip


def verdict(type_: str, path: tuple[str, ...], kind: str) -> Verdict:
    """What becomes of an input of a type, in the first stack and with the first value that have an effect."""
    free = effect_of(type_, ".".join(path).replace("[]", ""))[0] == "free"
    for stack in stacks()[type_][: _MOST_STACKS if free else None]:
        bill = stack.bill(stack.resource.inputs)
        if type_ not in TEMPLATES and all(line.urn != stack.urn for line in bill.lines):
            return "free" if any(one.urn == stack.urn for one in bill.free) else "named"
        before = _signature(bill)
        for value in _VALUES[kind]:
            inputs = copy.deepcopy(dict(stack.resource.inputs))
            if not _set(inputs, path, value):
                continue
            after = _signature(stack.bill(inputs))
            if after[0] != before[0]:
                return "moves"
            if after != before:
                return "named"
    return "free" if free else "silent"


def _signature(found: Estimate) -> tuple[Any, ...]:
    """(amounts, everything that is named)."""
    lines = sorted(
        (one.urn, one.name, one.unit_price, one.monthly, one.monthly_floor, str(one.monthly_ceiling), one.upfront)
        for one in found.lines
    )
    missing = sorted((item.urn, item.reason) for item in found.not_priced)
    assumed = sorted((one.urn, one.assumption) for one in found.lines)
    return lines, missing, assumed, found.not_considered, [item.urn for item in found.free], found.guesses


def _set(inputs: dict[str, Any], path: tuple[str, ...], value: Any) -> bool:
    """Whether the value is another one now."""
    here: Any = inputs
    for step in path[:-1]:
        name = step.removesuffix("[]")
        inside = here.get(name)
        if step.endswith("[]"):
            if not isinstance(inside, list) or not inside or not isinstance(inside[0], dict):
                inside = here[name] = [{}]
            here = inside[0]
        else:
            if not isinstance(inside, dict):
                inside = here[name] = {}
            here = inside
    if here.get(path[-1]) == value:
        return False
    here[path[-1]] = value
    return True


def verdicts(sample: int = 1) -> Iterator[tuple[str, str, Verdict]]:
    """(type, path, verdict) of every `sample`-th input."""
    number = 0
    for type_ in types():
        for path, kind in inputs_of(type_).items():
            number += 1
            if number % sample == 0:
                yield type_, ".".join(path), verdict(type_, path, kind)


if __name__ == "__main__":
    counts: Counter[tuple[str, str]] = Counter()
    for type_, path, found in verdicts(int(sys.argv[sys.argv.index("--sample") + 1]) if "--sample" in sys.argv else 1):
        counts[type_.partition(":")[0], found] += 1
        if found == "silent" and "--silent" in sys.argv:
            print(type_, path)
    for cloud in ("aws", "azure-native", "gcp"):
        print(cloud, {name: counts[cloud, name] for name in ("moves", "named", "free", "silent")})
