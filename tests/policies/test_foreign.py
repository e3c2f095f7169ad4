"""Programs that are not ours: the pack neither crashes nor misfires, and says the same of each every time.

`foreign/*.yaml` are resources of common programs. Each is read as a plan of a first preview and as a state, with what
languages and engine leave in them: defaults, providers, secrets as ciphertext, lines of TypeScript. Every finding and
every open question is in `foreign/expected/`; written anew with UPDATE_GOLDEN=1.
"""

from __future__ import annotations

import datetime
import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.core.program.readers.files import read_file
from gpucluster.policies.engine.examples import Example, plan_of
from gpucluster.policies.engine.rule import ReportRule
from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.packs import PRODUCTION

FOLDER = Path(__file__).with_name("foreign")
FILES = sorted(FOLDER.glob("*.yaml"))
SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:abc:def"}

# Rules about GPU machines and what trains on them.
GPU_RULES = {
    "accelerators-fit-machine",
    "elastic-pools-for-single-nodes",
    "fabric-interfaces-complete",
    "fabric-interfaces-valid",
    "fabric-traffic-allowed",
    "gpu-driver-has-one-owner",
    "gpu-nodes-not-public",
    "karpenter-keeps-jobs",
    "mig-layout-valid",
    "no-group-on-foreign-reservation",
    "purchase-fits-machine",
    "reservation-in-use",
    "sliced-gpus-in-own-pool",
    "storage-in-pool-zone",
    "storage-throughput",
    "training-pool-in-one-domain",
    "training-pool-in-one-zone",
    "training-pool-not-on-spot",
    "upgrade-keeps-jobs",
}
WITH_GPUS = {"aws-gpu-inference"}
# What has a price changes with the price book, and has tests of its own.
MONEY = ("budget", "price-known", "commitment-cheaper")


def _resources(file: Path) -> dict[str, Any]:
    return yaml.safe_load(file.read_text())


def _plan(file: Path) -> dict[str, Any]:
    """As `pulumi preview --json` writes it for a first preview."""
    plan = plan_of(Example(resources=_resources(file), fail={}), fails=False)
    for line, step in enumerate(plan["steps"], start=10):
        del step["oldState"]
        step["op"] = "create"
        step["newState"]["inputs"]["__defaults"] = []
        step["newState"]["sourcePosition"] = f"project:///index.ts#{line},7"
    return {**plan, "changeSummary": {"create": len(plan["steps"])}}


def _state(file: Path) -> dict[str, Any]:
    """As `pulumi stack export` writes it: outputs beside inputs, providers, secrets as ciphertext."""
    records = []
    for step in _plan(file)["steps"]:
        record = step["newState"]
        inputs = {key: SECRET if value == "secret" else value for key, value in record["inputs"].items()}
        package = record["type"].split(":")[0]
        provider = f"urn:pulumi:example::example::pulumi:providers:{package}::default"
        records.append({**record, "inputs": inputs, "outputs": {**inputs, "id": "x"}, "provider": f"{provider}::1"})
    return {"version": 3, "deployment": {"resources": records}}


def _found(document: dict[str, Any]) -> list[str]:
    """Every finding and every open question, a line each."""
    resources = read_file(json.dumps(document), "foreign").resources
    outcomes = evaluate(PRODUCTION.rules, resources, today=datetime.date(2026, 11, 21))
    lines = []
    for outcome in outcomes:
        if outcome.rule.name.startswith(MONEY):
            continue
        if not isinstance(outcome.rule, ReportRule) or outcome.rule.name == "not-checked":
            for mark, findings in (("", outcome.violations), ("? ", outcome.unknown)):
                lines += [
                    f"{mark}{outcome.rule.name} | {one.resource.name if one.resource else '-'} | {one.what}"
                    for one in findings
                ]
    return lines


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_pack_says_this_of_a_program_that_is_not_ours(file):
    found = _found(_plan(file))
    golden = FOLDER / "expected" / f"{file.stem}.txt"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        golden.parent.mkdir(exist_ok=True)
        golden.write_text("\n".join([*found, ""]))
    assert [*found, ""] == golden.read_text().split("\n")
    assert [line for line in found if "rule failed" in line] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_state_of_it_crashes_no_rule_and_finds_what_the_plan_does(file):
    of_state = _found(_state(file))
    assert [line for line in of_state if "rule failed" in line] == []
    assert set(of_state) == set(_found(_plan(file)))


@pytest.mark.parametrize("file", [file for file in FILES if file.stem not in WITH_GPUS], ids=lambda file: file.stem)
def test_rules_about_gpus_find_nothing_where_there_are_none(file):
    about = [line for line in _found(_plan(file)) if line.partition(" |")[0] in GPU_RULES]
    assert about == []


def test_the_programs_are_at_least_ten_of_fifteen_resources_and_forty_types():
    programs = [_resources(file) for file in FILES]
    assert len(programs) >= 10
    assert min(len(program) for program in programs) >= 15
    assert len({of["type"] for program in programs for of in program.values()}) >= 40
