"""Declares clusters as their program does, with nothing that answers, and writes what they declare.

A process of its own for each cloud (`python -m gpucluster.quote.declaring CLOUD`): loading a cloud's SDK takes seconds,
and Pulumi keeps what runs in the process. It reads `{shape: {spec, place, machine}}` from stdin and writes a line for
each, `{shape: view}`; a view has the form of `pulumi stack export`, with holes for the names of the place.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast

from gpucluster.components.cloud import ClusterPlan, cloud_of
from gpucluster.components.spec.cluster import StackSpec
from gpucluster.cost import plan_prices
from gpucluster.program.readers.records import UNKNOWN_TEXT
from gpucluster.program.resources import UNKNOWN, Resource, Resources
from gpucluster.program.values import is_list, is_object
from gpucluster.quote.shapes import holes, names_of
from gpucluster.quote.spec_values import STACK

__all__ = ["declared", "view_of"]

_PROJECT: Final = "gpucluster"


def declared(plan: ClusterPlan) -> Resources:
    """What the program of a plan declares, as a first preview sees it. Nothing is sent anywhere."""
    from pulumi.runtime import mocks

    from gpucluster.components.declare import declare
    from gpucluster.program.readers.alone import run_alone
    from gpucluster.program.readers.running import watch

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
    asyncio.run(run_alone(program, mocks.MockMonitor(Silent()), engine, project=_PROJECT, stack=STACK))
    return found[0]


def view_of(plan: ClusterPlan, resources: Iterable[Resource]) -> dict[str, Any]:
    """What was declared as a state, with holes for the names of the plan's place."""
    text = json.dumps({"deployment": {"resources": [_record(resource) for resource in resources]}})
    return json.loads(holes(text, names_of(plan)))


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
    gc.disable()  # as `stacks/__main__.py` does
    for shape, one in asked.items():
        location, _ = cloud_of(cloud).locate(one["place"])
        spec = StackSpec.model_validate(one["spec"])
        plan = cloud_of(cloud).plan_cluster(spec, location, STACK, one["machine"], plan_prices)
        write(json.dumps({shape: view_of(plan, declared(plan))}) + "\n")


if __name__ == "__main__":
    _main(sys.argv[1], json.load(sys.stdin), lambda line: (sys.stdout.write(line), sys.stdout.flush()))
