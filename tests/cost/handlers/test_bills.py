"""What resources cost and what has no price, by the files in `bills/`: a resource or a small stack, and its bill.

    stacks:                   # name -> resources: name -> type -> inputs
    bills:
    - resource: {TYPE: INPUTS}                # of one resource by itself; or
    - says: a sentence
      of: a stack                             # or `stack:` with resources of its own
      change: {resource: {input: value}}      # laid into it, at any depth; null takes away
      usage: {name: value}
      region: where neither inputs nor provider say it; null for none
      by_hand: {line: 5 x 98.32 x 730}        # what it costs, by arithmetic that nothing writes anew
      bill: each line of it

`${name}` is an unknown value that comes from another resource, `needs` lists the sources of inputs whose values are
known. UPDATE_GOLDEN=1 writes the bills anew, for whoever reads the difference.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.cost import Assumptions, Estimate, PriceBook, estimate
from gpucluster.cost.pricing.model import CostLine
from tests.gpucluster.core.program.fixtures import MakeResource
from tests.policies.laid import laid

FILES = sorted((Path(__file__).parent / "bills").glob("*.yaml"))
REGIONS = {"aws": "us-east-1", "azure-native": "eastus", "gcp": "us-central1"}
OPTIONS = {"parent", "provider", "needs", "custom", "outputs"}
REFERENCE = re.compile(r"\$\{([\w-]+)\}")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _known(value: Any) -> Any:
    if isinstance(value, str):
        return UNKNOWN if REFERENCE.fullmatch(value) else value
    if isinstance(value, dict):
        return {key: _known(inner) for key, inner in value.items()}
    return [_known(inner) for inner in value] if isinstance(value, list) else value


def _resources(make: MakeResource, written: Mapping[str, Mapping[str, Any]]) -> list[Resource]:
    made: dict[str, Resource] = {}
    for name, of in written.items():
        [(type_, inputs)] = [(key, value) for key, value in of.items() if key not in OPTIONS]
        sources = {**inputs, **of.get("needs", {})}
        needs = {key: [*REFERENCE.findall(json.dumps(inputs.get(key))), *_listed(of.get("needs", {}).get(key, []))]
                 for key in sources}  # fmt: skip
        options = {key: made[of[key]] for key in ("parent", "provider") if key in of}
        options |= {key: of[key] for key in ("custom", "outputs") if key in of}
        urns = {key: tuple(made[source].urn for source in found if source in made) for key, found in needs.items()}
        made[name] = replace(
            make(type_, name, **options, **_known(inputs)), dependencies={key: of for key, of in urns.items() if of}
        )
    return list(made.values())


def _stack(file: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    if "resource" in entry:
        return {"it": entry["resource"]}
    stack = dict(file["stacks"][entry["of"]] if "of" in entry else entry["stack"])
    for name, change in entry.get("change", {}).items():
        stack[name] = {key: value if key in OPTIONS else laid(value, change) for key, value in stack[name].items()}
    return stack


def _sum(written: str) -> Decimal:
    """Products after plus and minus signs, to the cent."""
    total = Decimal(0)
    for product in written.replace(" - ", " + -1 x ").split(" + "):
        total += math.prod(map(Decimal, product.split(" x ")))
    return total.quantize(Decimal("0.01"))


def _money(amount: Any) -> str:
    return amount if isinstance(amount, str) else f"${amount:,.2f}"


class _Texts:
    """Sentences, in full where they come first in a file and by their beginning after that."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def __call__(self, text: str) -> str:
        if len(text) > 60 and text in self.seen:
            return f"{text[:50]}..."
        self.seen.add(text)
        return text


def _line(line: CostLine, of: str, text: _Texts) -> Iterator[str]:
    where = " ".join(word for word in (line.region, line.purchase, line.term) if word not in ("", "on_demand"))
    quantity = line.basis or f"{line.quantity.normalize():f}"
    amounts = _money(line.monthly)
    if line.autoscaled:
        amounts += f", {_money(line.monthly_floor)} to {_money(line.monthly_ceiling)}"
    yield f"{of}{line.name}: {quantity} at ${line.unit_price.normalize():f} per {line.unit}, {where} = {amounts}"
    facts = {
        line.spend: line.spend != "new",
        f"paid by {line.paid_by}": line.paid_by,
        f"{line.idle.normalize():f} idle": line.idle,
        f"{_money(line.upfront)} upfront": line.upfront,
        f"by usage: {', '.join(line.usage)}": [name for name in line.usage if name not in line.assumption],
    }
    if any(facts.values()):
        yield "  " + "; ".join(text for text, holds in facts.items() if holds)
    if line.assumption:
        yield f"  {text(line.assumption)}"


def _bill(found: Estimate, text: _Texts) -> Iterator[str]:
    def of(urn: str) -> str:
        return "" if len(found.names) == 1 else f"{found.names[urn]}, "

    for line in found.lines:
        yield from _line(line, of(line.urn), text)
    for item in found.not_priced:
        reason = item.reason.partition("; known: ")[0]  # which other regions are known changes with the book
        kind = " machines" if item.compute else ""
        yield f"not priced{kind}{' but bounded' if item.between else ''}: {of(item.urn)}{text(reason)}"
    yield from (f"free: {of(item.urn)}{item.source}" for item in found.free)
    yield from map(text, found.guesses)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_stack_has_exactly_this_bill(file: Path, make: MakeResource, book: PriceBook) -> None:
    content = file.read_text()
    written = yaml.load(content, yaml.CSafeLoader)
    bills, texts = list[str](), _Texts()
    for entry in written["bills"]:
        resources = _resources(make, _stack(written, entry))
        regions = REGIONS if "region" not in entry else dict.fromkeys(REGIONS, entry["region"])
        values = {name: str(value) for name, value in entry.get("usage", {}).items()}
        stack = Resources(resources, default_regions={key: value for key, value in regions.items() if value})
        found = estimate(stack, book, Assumptions().with_values(values))
        bills.append("\n".join(_bill(found, texts)))
        assert all(item.why and item.source.startswith("https://") for item in found.free)
        for name, sums in entry.get("by_hand", {}).items():
            assert _sum(sums) in [line.monthly for line in found.lines if line.name == name], (name, sums)
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text(_with_bills(content, bills))
    else:
        assert bills == [(entry.get("bill") or "").rstrip("\n") for entry in written["bills"]]


def _with_bills(text: str, bills: list[str]) -> str:
    """The file with other bills; a bill is the last key of its entry."""
    head, _, entries = text.partition("\nbills:\n")
    parts = re.split(r"^(?=- )", entries, flags=re.MULTILINE)[1:]
    assert len(parts) == len(bills)
    shown = [
        re.sub(r"^  bill:.*", "", part, flags=re.MULTILINE | re.DOTALL).rstrip("\n")
        + ("\n  bill: |\n" + "".join(f"    {line}\n" for line in bill.splitlines()) if bill else "\n")
        for part, bill in zip(parts, bills, strict=True)
    ]
    return f"{head}\nbills:\n{''.join(shown)}"


def test_no_two_entries_are_of_the_same_stack() -> None:
    entries = [
        json.dumps([_stack(written, entry), entry.get("usage"), entry.get("region")])
        for written in (yaml.load(file.read_text(), yaml.CSafeLoader) for file in FILES)
        for entry in written["bills"]
    ]
    assert len(set(entries)) == len(entries)
