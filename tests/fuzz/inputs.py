"""What is mutated, and the commands that read it. FILE stands for the mutant, and another name for a whole file."""

from __future__ import annotations

import itertools
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

import yaml

from gpucluster.core.program.readers.files import read_text
from gpucluster.cost import PriceBook, estimate
from gpucluster.cost.bills.planned import planned_lines
from gpucluster.policies.engine.examples import example_of, plan_of
from gpucluster.policies.packs import TRAINING
from tests.cost.bills.generator import CUR2, FOCUS, bill_of, write_csv
from tests.fuzz.kind import ROOT, Kind, texts
from tests.fuzz.mutants import HOSTILE
from tests.fuzz.programs import ANSWERS
from tests.gpucluster.operate.pull_request.conftest import TRIAL, changed, evidence, stack

__all__ = ["KINDS", "WHOLE"]


def _bills() -> list[str]:
    """In both formats, a dozen rows each."""
    resources = read_text(texts("tests/cost/bills/trials/aws.json")[0], "plan")
    items = bill_of("aws", planned_lines(estimate(resources, PriceBook())), resources, days=1)[:12]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bill.csv"
        return [write_csv(file, items, form).read_text() for form in (FOCUS, CUR2)]


def _samples(cloud: str) -> str:
    """A state with a resource of each of 25 types of a cloud whose bill is a list of rates."""
    types: Mapping[str, Any] = yaml.load((ROOT / "tests/cost/types/samples.yaml").read_text(), yaml.CSafeLoader)
    found = islice((item for item in types.items() if item[0].startswith(cloud)), 25)
    records = [
        {
            "urn": f"urn:pulumi:dev::fuzz::{type_}::a{at}",
            "type": type_,
            "custom": True,
            "inputs": of,
            "outputs": of,
        }
        for at, (type_, of) in enumerate(found)
    ]
    return json.dumps({"version": 3, "deployment": {"resources": records}}, default=str)


def _plans() -> list[str]:
    rules = sorted(rule.name for rule in TRAINING.rules)
    found = [
        plan_of(example, fails=fails) for rule in rules if (example := example_of(rule)) for fails in (True, False)
    ]
    return [json.dumps(plan) for plan in found]


def _teams() -> str:
    """A plan with a machine for each team whose name has a hostile end."""
    steps: list[Mapping[str, Any]] = []
    for at, end in enumerate(HOSTILE):
        urn, type_ = f"urn:pulumi:dev::fuzz::aws:ec2/instance:Instance::a{at}", "aws:ec2/instance:Instance"
        inputs = {"instanceType": "m7i.xlarge", "tags": {"team": f"research{end}"}}
        steps.append(
            {"op": "create", "urn": urn, "newState": {"urn": urn, "type": type_, "custom": True, "inputs": inputs}}
        )
    return json.dumps({"config": {"aws:region": "us-east-1"}, "steps": steps})


_EVIDENCE: Final = evidence(
    stack(changed("shared", storageCapacity=2400, tags={"team": "other"}), replaced=["shared"]),
    stack(TRIAL, {}, name="new", base="absent", state=None),
    changed_files=["README.md", "cost/prices/aws.csv"],
)
_FAILED: Final = evidence(stack(TRIAL, name="broken", head="failed", head_problem="the program ended", plan=None))

_MADE: Final[Mapping[str, Callable[[], list[str]]]] = {
    "bills": cache(_bills),
    "evidence": lambda: [it.model_dump_json() for it in (_EVIDENCE, _EVIDENCE, _FAILED)],
    "plans": _plans,
    "samples": lambda: [_samples(cloud) for cloud in ("aws", "gcp", "azure-native")],
}


def _seeds(of: Mapping[str, Any]) -> Iterator[str]:
    for source, value in of.items():
        if source == "made":
            yield from _MADE[value]()
        elif source == "files":
            yield from (text + of.get("end", "") for text in texts(*value))
        elif source == "texts":
            yield from value


def _commands(written: str | list[str]) -> list[list[str]]:
    """In each of its forms."""
    if isinstance(written, list):
        return [written]
    words = written.replace("ROOT", str(ROOT)).split()
    return [list(chosen) for chosen in itertools.product(*(word.split("|") for word in words))]


def _kind(written: Mapping[str, Any]) -> Kind:
    if "answer" in written:
        answer = {"texts": [ANSWERS[written["answer"]]]}
        written = {"seeds": answer, "structure": "json", "name": "answer.json", "programs": True, **written}
    commands = [command for one in written["commands"] for command in _commands(one)]
    made: dict[str, Any] = {**written, "seeds": list(_seeds(written["seeds"])), "commands": commands}
    return Kind(**made)


KINDS: Final[Mapping[str, Kind]] = {
    name: _kind(written)
    for name, written in yaml.load(Path(__file__).with_name("kinds.yaml").read_text(), yaml.CSafeLoader).items()
}

WHOLE: Final[Mapping[str, str]] = {
    "PLAN": texts("tests/gpucluster/core/program/recordings/plan.json")[0],
    "LIMITS": KINDS["limits"].seeds[0],
    "EVIDENCE": _EVIDENCE.model_dump_json(),
    "SPEC": texts("stacks/specs/trial.yaml")[0],
    "TEAMS": _teams(),
    "BILL": KINDS["bill"].seeds[0],
    "PRICES": KINDS["prices"].seeds[1],
    "TRIAL": texts("tests/cost/bills/trials/aws.json")[0],
}
"""Files beside the mutant."""
