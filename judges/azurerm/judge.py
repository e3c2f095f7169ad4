"""The judge of azure-native by Microsoft's azurerm provider: required inputs, patterns of names, ranges, forms of ids,
and combinations, as the provider validates them before it calls Azure.

Only for types with a resource in azurerm; remarks use azurerm's name of an input. Runs only if requested by name, and
if `build.py` has built it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from gpucluster.errors import Fault, InputError
from gpucluster.judges.azurerm.build import program
from gpucluster.judges.azurerm.names import TYPES, configuration
from gpucluster.judges.verdict import Remark, Verdict
from gpucluster.program.resources import Resource, Resources


class _Azurerm:
    name = "azurerm"
    title = "Microsoft's azurerm provider"
    package = "azure-native"
    needs = ("gpucluster", "gpucluster")

    def judge(self, asked: Sequence[Resource], around: Resources) -> Iterator[Verdict]:
        del around
        found = program()
        if found is None:
            raise InputError("--judge azurerm: the provider is not built; `make judges` in a checkout builds it, once")
        known = [resource for resource in asked if resource.type in TYPES]
        for resource in asked:
            if resource.type not in TYPES:
                why = "judges/azurerm/types.csv has no row for its type"
                yield Verdict(resource=resource, judge=self.name, why=why)
        made = [configuration(resource.type, resource.inputs) for resource in known]
        questions = [
            {"type": TYPES[resource.type], "config": given} for resource, (given, _) in zip(known, made, strict=True)
        ]
        answers = _answers(found, questions) if known else []
        for resource, (_, left), answer in zip(known, made, answers, strict=True):
            yield Verdict(
                resource=resource,
                judge=self.name,
                refusals=_remarks(answer["refusals"]),
                advice=_remarks(answer["warnings"]),
                left=(*left, *(name for name in answer["left"] if name != "location")),
            )


JUDGE: Final = _Azurerm()


def _answers(judge: Path, questions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    text = "".join(f"{json.dumps(question)}\n" for question in questions)
    done = subprocess.run([judge], input=text, capture_output=True, text=True, check=False)
    found: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 or len(found) != len(questions):
        raise Fault(f"the azurerm provider ended early: {done.stderr.strip()[-500:]}")
    if unknown := sorted({asked["type"] for asked, said in zip(questions, found, strict=True) if not said["known"]}):
        raise Fault(f"the azurerm provider does not have {', '.join(unknown)}")
    return found


def _remarks(said: Sequence[dict[str, str]]) -> tuple[Remark, ...]:
    return tuple(Remark(one["path"], one["said"]) for one in said)
