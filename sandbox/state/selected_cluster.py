"""Selects the sandbox cluster for a command."""

from __future__ import annotations

from gpucluster.errors import InputError
from gpucluster.sandbox.clouds.kubernetes.objects import api_servers
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.project import stacks
from gpucluster.sandbox.project.project import Project
from gpucluster.sandbox.state.compare import stack_of


def cluster_of(project: Project, stack: str | None, *, living: bool = False) -> Entry:
    """The one cluster of a stack; by default of the selected stack. Raises InputError for none or several.

    living: whether the command needs the cluster's controllers.
    """
    clusters = [entry for entry in project.store.existing() if api_servers(entry)]
    named = stack.rpartition("/")[2] if stack else stacks.selected(project)
    found = [entry for entry in clusters if named is None or stack_of(entry.urn) == named]
    if len(found) == 1:
        return found[0]
    there = ", ".join(sorted({stack_of(entry.urn) for entry in clusters}))
    if not clusters:
        kind = "live" if living else "real"
        raise InputError(
            f"no cluster exists in the simulated clouds; create one: gpucluster sandbox --kubernetes {kind} pulumi up"
        )
    if not found:
        raise InputError(f"the stack {named!r} has no cluster; stacks with one: {there}; choose one by --stack")
    raise InputError(f"several clusters exist; choose one by --stack: {there}")
