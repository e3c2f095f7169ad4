"""What each example needs of an account at 1, 4, 32 and 128 nodes: one table for each cloud, in the folder `needs`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from gpucluster.components.spec.file import stack_spec
from gpucluster.components.stack.stack_config import read_stack
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.core.program.questions import Question
from gpucluster.cost.pricing import plan_prices
from gpucluster.errors import InputError

ROOT: Final = Path(__file__).parents[2]
TABLES: Final = Path(__file__).with_name("needs")
SIZES: Final = (1, 4, 32, 128)


def quotas(cloud: str, spec: Path, nodes: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Question, ...]:
    """Those of a plan with this number of nodes; without a placement, which one node cannot have. Raises InputError."""
    config = replace(read_stack(f"{cloud}-trial", ROOT), spec=stack_spec(spec))
    size = {"training.nodes": str(nodes), **({"training.spares": "0"} if nodes == 1 else {})}
    monkeypatch.setenv("GPUCLUSTER_SET", json.dumps(size))
    try:
        plan = plan_stack(config, plan_prices)
    except InputError:
        if nodes > 1:
            raise
        monkeypatch.setenv("GPUCLUSTER_SET", json.dumps({**size, "placement.kind": "none"}))
        plan = plan_stack(config, plan_prices)
    return tuple(one for one in plan.facts.questions if one.about == "quota")


def table(cloud: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for spec in sorted((ROOT / "examples/specs" / cloud).glob("*.yaml")):
        rows: dict[str, list[str]] = {}
        refused = ""
        for at, nodes in enumerate(SIZES):
            try:
                found = quotas(cloud, spec, nodes, monkeypatch)
            except InputError as error:
                refused += f"  {nodes} nodes: {str(error).splitlines()[-1].strip()}\n"
                continue
            for one in found:
                row = rows.setdefault(f"{one.subject}, {one.place}", ["-"] * len(SIZES))
                row[at] = f"{one.needed:,}" if isinstance(one.needed, int) else str(one.needed)
        yield f"{spec.stem}:\n{refused}"
        yield from (f"  {name}: {' | '.join(amounts)}\n" for name, amounts in rows.items())


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_the_quotas_of_examples_are_those_of_the_table(cloud: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """UPDATE_GOLDEN=1 writes it anew."""
    found = f"Amounts for {', '.join(map(str, SIZES))} nodes; -: not needed\n{''.join(table(cloud, monkeypatch))}"
    file = TABLES / f"{cloud}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        TABLES.mkdir(exist_ok=True)
        file.write_text(found)
    assert found == file.read_text()
