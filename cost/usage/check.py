"""Whether the resources in a usage file exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from gpucluster.cost.assumptions import Assumptions
from gpucluster.errors import InputError
from gpucluster.program.resources import Resources, urn_name


class BadUsage(InputError):
    """A usage file cannot be used; one line for each problem."""


def check_names(assumptions: Assumptions, *stacks: Resources) -> None:
    """BadUsage if a usage file names a resource that no stack has: a typing error would silently change nothing."""
    check_urns(assumptions, (one.urn for resources in stacks for one in resources))


def check_urns(assumptions: Assumptions, urns: Iterable[str]) -> None:
    """The same for the URNs of all resources."""
    exceptions = assumptions.exceptions
    if exceptions is None or not exceptions.resources:
        return
    names = {name for urn in urns for name in (urn, urn_name(urn))}
    missing = [name for name in exceptions.resources if name not in names]
    if missing:
        lines = (f"{exceptions.source}: resources: the stack has no {name!r}{meant(name, names)}" for name in missing)
        raise BadUsage("\n".join(lines))


def meant(name: str, known: Iterable[str]) -> str:
    """`; did you mean X?`, empty without a similar known name."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else ""
