"""GKE ComputeClasses and the node pools they name: who scales what.

Source of the fields: `cloud.google.com/v1` ComputeClass CRD.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpucluster.cost.pricing import Pricing
from gpucluster.program.resources import Resource
from gpucluster.program.values import is_list, is_object

CLASS = "kubernetes:cloud.google.com/v1:ComputeClass"
NODE_POOL = "gcp:container/nodePool:NodePool"


def pools_of(item: Pricing, compute_class: Resource) -> list[Resource]:
    """The node pools of the stack that a class names in its priorities, in that order."""
    named = dict.fromkeys(_named(compute_class))
    by_name = {pool.inputs.get("name") or pool.name: pool for pool in item.resources.of_type(NODE_POOL)}
    behind = {urn for prop, urns in compute_class.dependencies.items() if prop == "spec" for urn in urns}
    found = [by_name[name] for name in named if name in by_name]
    found += [pool for pool in item.resources.of_type(NODE_POOL) if pool.urn in behind and pool not in found]
    return found


def classes_of(item: Pricing) -> Sequence[Resource]:
    """The classes of the stack that scale the node pool of `ask`."""
    return [found for found in item.resources.of_type(CLASS) if item.resource in pools_of(item, found)]


def _named(compute_class: Resource) -> Iterator[str]:
    spec = compute_class.inputs.get("spec")
    priorities = spec.get("priorities") if is_object(spec) else None
    for rule in priorities if is_list(priorities) else ():
        pools = rule.get("nodepools") if is_object(rule) else None
        for name in pools if is_list(pools) else ():
            if isinstance(name, str):
                yield name
