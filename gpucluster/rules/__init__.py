"""Rules of a company's pack: what a file of its folder imports to define one (docs/plan/company-packs.md)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import at, flag, items, text, whole
from gpucluster.policies.engine.rule import (
    CannotTell,
    ChangeRule,
    Changes,
    Enforcement,
    Finding,
    Framework,
    NotChecked,
    ResourceRule,
    Severity,
    Stack,
    StackRule,
    Violation,
)

if TYPE_CHECKING:
    from gpucluster.policies.clouds.label_sets import LabelSet
    from gpucluster.policies.clouds.pools import Machines

__all__ = [
    "UNKNOWN",
    "CannotTell",
    "ChangeRule",
    "Changes",
    "Enforcement",
    "Finding",
    "Framework",
    "NotChecked",
    "Resource",
    "ResourceRule",
    "Resources",
    "Severity",
    "Stack",
    "StackRule",
    "Violation",
    "at",
    "flag",
    "items",
    "labels_of",
    "machines_of",
    "serve",
    "text",
    "whole",
]

# A pack imports this before the engine starts the program: what only checks need is imported when they run.


def machines_of(stack: Stack) -> Iterator[Machines]:
    """The machines that resources of the stack start, of any cloud and with or without GPUs.

    Each has its `resource`; `machine`, the type, UNKNOWN before the update or None without one; `nodes`, their maximum
    number or UNKNOWN; and `label`, such as `4 nodes of p5.48xlarge`. Of a resource with several types it is the one
    that decides whether they train together.
    """
    from gpucluster.policies.clouds.pools import cloud_pools

    for pools in cloud_pools().values():
        yield from pools.machines_of(stack.resources)


def labels_of(resource: Resource, stack: Stack) -> Iterator[LabelSet]:
    """Each set of labels of a resource, by any cloud's name for them; none if its type has no labels.

    Each has `labels`, key -> value, UNKNOWN as a whole or for a key before the update; and `where`, such as `tags of
    the instances it starts`.
    """
    from gpucluster.policies.clouds.label_sets import label_sets_in

    yield from label_sets_in(resource, stack.resources)


def serve(folder: str | Path) -> None:
    """Serve the pack of a folder to Pulumi's engine, from the `__main__.py` of a policy pack; never returns.

    folder: with the rules, or a file in it, such as `__file__`. Ends the program with the errors of a folder that is no
    pack.
    """
    from gpucluster.errors import InputError
    from gpucluster.policies.engine.serve import serve as serve_pack
    from gpucluster.policies.packs.company import read_pack

    path = Path(folder).resolve()
    try:
        pack = read_pack(path if path.is_dir() else path.parent)
    except InputError as error:
        raise SystemExit("\n".join(f"error: {line}" for line in str(error).splitlines())) from None
    serve_pack(pack)
