"""One state with every rule's mistake, judged by the real engine: `pulumi policy analyze --file`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from gpucluster.policies.engine.examples import example_of, plan_of
from gpucluster.policies.engine.rule import ChangeRule
from gpucluster.policies.packs import TRAINING
from tests.policies.previews import PACK, findings_in, pulumi

pytestmark = pytest.mark.engine

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
URN = re.compile(r'(urn:pulumi:example::example::[^"]*::)([\w-]+)"')
# About the stack as a whole, where one example answers for another: a budget, what is stated, zones of other pools.
NOT_HERE = {
    "budget",
    "budget-ceiling",
    "budget-undecidable",
    "budget-warning",
    "not-checked",
    "not-known-yet",
    "price-known",
    "storage-in-pool-zone",
    "storage-throughput",
    "team-budget",
}


def _records() -> list[dict[str, Any]]:
    """The failing example of every rule, its resources named after the rule."""
    found: list[dict[str, Any]] = []
    for rule in TRAINING.rules:
        example = example_of(rule.name)
        if isinstance(rule, ChangeRule) or example is None:
            continue
        text = json.dumps([step["newState"] for step in plan_of(example, fails=True)["steps"]])
        named = URN.sub(lambda urn, name=rule.name: f'{urn[1]}{name}-{urn[2]}"', text.replace(UNKNOWN, "given"))
        found += json.loads(named)
    return found


def _state() -> dict[str, Any]:
    """As `pulumi stack export` writes it, components before what is in them."""
    records = _records()
    packages = sorted({record["type"].partition(":")[0] for record in records if record["custom"]})
    urns = {package: f"urn:pulumi:example::example::pulumi:providers:{package}::default" for package in packages}
    providers = [
        {"urn": urn, "type": f"pulumi:providers:{package}", "custom": True, "id": "1", "inputs": {}, "outputs": {}}
        for package, urn in urns.items()
    ]
    for record in records:
        record["outputs"] = record["inputs"]
        if record["custom"]:
            record.update(id="x", provider=f"{urns[record['type'].partition(':')[0]]}::1")
        if record["parent"] is None:
            del record["parent"]
    manifest = {"time": "2026-01-01T00:00:00Z", "magic": "", "version": "v3.259.0"}
    ordered = [*providers, *sorted(records, key=lambda record: record["custom"])]
    return {"version": 3, "deployment": {"manifest": manifest, "resources": ordered}}


def test_the_engine_finds_every_rules_mistake_in_a_state(own_project: Path) -> None:
    (own_project / "state.json").write_text(json.dumps(_state()))
    code, output = pulumi(own_project, "policy", "analyze", "--file", "state.json", "--policy-pack", str(PACK))
    assert code != 0
    assert "rule failed" not in output
    told = {rule.name for rule in TRAINING.rules if not isinstance(rule, ChangeRule)} - NOT_HERE
    assert told - {policy for _, policy, _ in findings_in(output)} == set(), output
