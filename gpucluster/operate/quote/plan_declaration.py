"""Declares clusters like their program, without an engine, and writes the declared resources.

A separate process for each cloud (`python -m gpucluster.operate.quote.plan_declaration CLOUD`): loading a cloud's SDK
takes seconds, and Pulumi keeps state per process. It reads `{shape: {spec, place, machine}}` from stdin and writes a
line for each, `{shape: view}`; a view has the form of `pulumi stack export`, with placeholders for names and numbers,
and without parts that do not affect prices.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from gpucluster.components.cluster.cloud import ClusterPlan, cloud_of
from gpucluster.components.spec.cluster import StackSpec
from gpucluster.core.catalog.resource_types import free_reason
from gpucluster.core.program.readers.records import UNKNOWN_TEXT
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import is_list, is_object
from gpucluster.cost.handlers.registry import handler_for
from gpucluster.cost.pricing import plan_prices
from gpucluster.operate.quote.plan_templates import any_numbers, holes
from gpucluster.operate.quote.spec_values import STACK

_PROJECT: Final = "gpucluster"


def declared(plan: ClusterPlan) -> Resources:
    """The resources that the program of a plan declares, as in a first preview. Nothing is sent anywhere."""
    from pulumi.runtime import mocks

    from gpucluster.components.stack.declaration import declare
    from gpucluster.core.program.readers.running import watch
    from gpucluster.core.program.readers.without_engine import run_without_engine

    class Silent(mocks.Mocks):
        def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
            return "", dict(cast("dict[str, Any]", args.inputs))

        def call(self, args: mocks.MockCallArgs) -> Any:
            raise AssertionError(f"a preview must ask no cloud: {args.token}")

    found: list[Resources] = []

    def program() -> None:
        watched = watch()
        declare(plan)
        found.append(watched.resources())
        watched.stop()
        watched.withdraw()

    engine = mocks.MockEngine(logging.Logger("quote", logging.CRITICAL))
    asyncio.run(run_without_engine(program, mocks.MockMonitor(Silent()), engine, project=_PROJECT, stack=STACK))
    return found[0]


def view_of(plan: ClusterPlan) -> dict[str, Any]:
    """The declarations of plans of one shape, as a state with placeholders."""
    any_plan = any_numbers(plan)
    found = (_record(resource) for resource in declared(any_plan) if not inside(resource))
    return holes({"deployment": {"resources": list(found)}}, any_plan)


def inside(resource: Resource) -> bool:
    """Whether it is a free object in a cluster without effect on prices: half of a program."""
    free = handler_for(resource.type) is None and free_reason(resource.type) is not None
    return resource.type.startswith("kubernetes:") and free


def _record(resource: Resource) -> dict[str, Any]:
    return {
        "urn": resource.urn,
        "type": resource.type,
        "custom": resource.custom,
        "inputs": _plain(resource.inputs),
        "propertyDependencies": {key: list(urns) for key, urns in resource.dependencies.items()},
        **({"parent": resource.parent} if resource.parent else {}),
        **({"provider": f"{resource.provider}::"} if resource.provider else {}),
    }


def _plain(value: Any) -> Any:
    if value is UNKNOWN:
        return UNKNOWN_TEXT
    if is_object(value):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if is_list(value) else value


def _main(cloud: str, asked: Mapping[str, Mapping[str, Any]], write: Callable[[str], object]) -> None:
    gc.disable()  # as in `stacks/__main__.py`
    for shape, one in asked.items():
        location, _ = cloud_of(cloud).locate(one["place"])
        spec = StackSpec.model_validate(one["spec"])
        plan = cloud_of(cloud).plan_cluster(spec, location, STACK, one["machine"], plan_prices)
        write(json.dumps({shape: view_of(plan)}) + "\n")


if __name__ == "__main__":
    _main(sys.argv[1], json.load(sys.stdin), lambda line: (sys.stdout.write(line), sys.stdout.flush()))
