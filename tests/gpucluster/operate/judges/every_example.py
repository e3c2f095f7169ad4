"""Judges every example twice, as planned and with every value known; prints the verdicts as JSON.

All examples of a cloud are judged as one stack, since cfn-lint takes longer to start than to judge one, and all have
one name, since what is the same in two of them is judged once. Run in a process of its own: programs of Pulumi leave
their settings behind.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from gpucluster.components.resources.run import INPUT_ERROR_FILE
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.operate.judges.verdicts import judged
from tests.gpucluster.operate.judges.simulated import Update
from tools.pages.examples import ROOT, Example, declared, examples, run

MOMENTS = ("planned", "updated")
NAMED = {"name": "trial"}


def made(example: Example) -> Iterator[tuple[str, Resources, Mapping[str, str]]]:
    """The resources of an example at each moment, and their ids by URN."""
    yield MOMENTS[0], declared(example, NAMED), {}
    config = yaml.safe_load((ROOT / f"stacks/Pulumi.{example.stack}.yaml").read_text())["config"]
    with tempfile.TemporaryDirectory() as folder:
        update = Update(Path(folder), config)
        run(example, update, NAMED)
        yield MOMENTS[1], update.stack(), update.ids


def stands_alone(example: Example) -> bool:
    """Whether it makes its network itself: nothing here makes another."""
    return "existing" not in yaml.safe_load(example.spec.read_text()).get("network", {})


def apart(resource: Resource, where: str) -> Resource:
    """The resource beside its like of other examples."""
    provider = resource.provider and f"{where} {resource.provider}"
    return replace(resource, urn=f"{where} {resource.urn}", provider=provider)


def said() -> Iterator[dict[str, Any]]:
    """What is said of each resource."""
    together: dict[str, list[Resource]] = {}
    known: dict[str, str] = {}
    for example in filter(stands_alone, examples()):
        for moment, resources, ids in made(example):
            where = f"{example.page.with_suffix('')} {moment}"
            together.setdefault(example.cloud, []).extend(apart(resource, where) for resource in resources)
            known |= {f"{where} {urn}": id_ for urn, id_ in ids.items()}
    for resources in together.values():
        for verdict in judged(Resources(resources)):
            example, moment, _ = verdict.resource.urn.split(" ", 2)
            yield {
                "example": example, "moment": moment, "name": verdict.resource.name, "type": verdict.resource.type,
                "id": known.get(verdict.resource.urn), "judge": verdict.judge, "outcome": verdict.outcome.value,
                "why": verdict.why,
                "refusals": [[remark.path, remark.text] for remark in verdict.refusals],
                "advice": [remark.path for remark in verdict.advice],
            }  # fmt: skip


if __name__ == "__main__":
    os.environ[INPUT_ERROR_FILE] = os.devnull  # an update from the ranges of the examples is the sandbox's alone
    json.dump(list(said()), sys.stdout)
