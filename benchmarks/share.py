"""What is ours in a preview: spec, plan, components and cost, once the SDKs are imported."""

from __future__ import annotations

import gc
import importlib
import itertools
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pulumi
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs, Mocks

from benchmarks.bars import RUNS, Bar

ROOT = Path(__file__).parents[1]
SDKS = (
    *(f"pulumi_aws.{name}" for name in ("cloudwatch", "ec2", "efs", "eks", "fsx", "iam", "kms", "s3", "sqs", "vpc")),
    *(f"pulumi_kubernetes.{name}" for name in ("apiextensions", "core.v1", "helm.v3", "meta.v1", "yaml")),
)
"""What the stack uses of them. A part that is missing here would be measured as ours: such a run is refused."""


class _Nothing(Mocks):
    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        return args.name, args.inputs

    def call(self, args: MockCallArgs) -> dict[Any, Any]:
        raise AssertionError(f"a preview asks no cloud: {args.token}")


def _sdk_modules() -> set[str]:
    return {name for name in sys.modules if name.split(".")[0] in ("pulumi_aws", "pulumi_kubernetes")}


def _laps() -> dict[str, float]:
    """Seconds of each part of one run: of this process alone, so that others beside it do not count."""
    for name in SDKS:
        getattr(importlib.import_module(name), "_", None)  # Loads it: the SDKs import their modules on first use.
    loaded = _sdk_modules()
    gc.disable()  # as the stack does
    pulumi.runtime.set_mocks(_Nothing(), project="gpucluster", stack="aws-trial", preview=True)
    laps: list[tuple[str, float]] = [("", time.process_time())]

    def lap(name: str) -> None:
        laps.append((name, time.process_time()))

    @pulumi.runtime.test
    def program() -> None:
        from components.aws.cluster import TrainingCluster
        from components.aws.location import Location
        from components.aws.plan import plan_cluster
        from components.spec_file import read_spec
        from cost.estimate import estimate
        from cost.render.table import as_table
        from cost.sources.program import watch

        lap("import")
        watched = watch()
        spec = read_spec(ROOT / "stacks/specs/trial.yaml")
        lap("spec")
        here = Location(region="us-east-1", zone="us-east-1a", second_zone="us-east-1b")
        plan = plan_cluster(spec, here, stack="aws-trial")
        lap("plan")
        TrainingCluster(plan.name, plan)
        lap("components")
        resources = watched.resources()
        lap("reading")
        found = estimate(resources)
        lap("estimate")
        as_table(found, "Cost")
        lap("table")

    program()
    if late := sorted(_sdk_modules() - loaded):
        sys.exit(f"SDKS lacks what the stack imports, so that it would be measured as ours: {', '.join(late)}")
    return {name: after - before for (_, before), (name, after) in itertools.pairwise(laps)}


def bars() -> list[Bar]:
    """Each run in a process of its own: a program is imported once."""
    runs = [json.loads(subprocess.check_output([sys.executable, "-m", __spec__.name], cwd=ROOT)) for _ in range(RUNS)]
    for name in runs[0]:
        print(f"our share, {name:<12} {statistics.median(run[name] for run in runs):6.3f} s")
    together = statistics.median(sum(run.values()) for run in runs)
    return [Bar("our share of a preview, SDK import and engine left out", together, 0.3, "s")]


if __name__ == "__main__":
    print(json.dumps(_laps()))
