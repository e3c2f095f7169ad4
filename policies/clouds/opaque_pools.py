"""Machines of an unknown type: a rule about pools reports them instead of skipping them."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.core.program.resources import UNKNOWN, Resources
from gpucluster.policies.clouds.per_cloud import Checks, CloudCheck, per_cloud
from gpucluster.policies.clouds.pools import Machines, cloud_pools
from gpucluster.policies.engine.rule import CannotTell, Finding, NotChecked, Stack


def pool_checks(
    *, single: bool = False, types: bool = True, template: bool = False, **checks: CloudCheck[Stack]
) -> Checks[Stack]:
    """`per_cloud`, plus a CannotTell for machines of types that the checks read whose machine type or template is
    hidden.

    single: whether the checks also apply to single GPU nodes. types: whether they depend on the machine type. template:
    whether they depend on the launch template.
    """
    of_clouds = per_cloud(**checks)

    def check(stack: Stack) -> Iterator[Finding]:
        reported: set[str] = set()
        for finding in of_clouds["check"](stack):
            if not isinstance(finding, NotChecked) and finding.resource is not None:
                reported.add(finding.resource.urn)
            yield finding
        opaque = opaque_pools(stack.resources, single=single) if types else iter(())
        foreign = _foreign_templates(stack.resources) if template else iter(())
        for machines, why in (*opaque, *foreign):
            if machines.resource.urn not in reported and machines.resource.type in of_clouds["reads"]:
                reported.add(machines.resource.urn)
                yield CannotTell(machines.resource, why)

    return {**of_clouds, "check": check}


def opaque_pools(resources: Resources, *, single: bool = False) -> Iterator[tuple[Machines, str]]:
    """(machines, why they are undecidable), for machines that may train together, with others or each other.

    single: also single nodes.
    """
    for cloud in cloud_pools().values():
        found = [machines for machines in cloud.machines_of(resources) if not machines.aside(resources)]
        counts = [machines.nodes for machines in found if machines.hidden is not None or machines.surely_on_fabric]
        if single or UNKNOWN in counts or sum(count for count in counts if isinstance(count, int)) > 1:
            yield from ((machines, machines.hidden) for machines in found if machines.hidden is not None)


def _foreign_templates(resources: Resources) -> Iterator[tuple[Machines, str]]:
    """GPU machines that use a template of another stack."""
    for cloud in cloud_pools().values():
        for machines in cloud.machines_of(resources):
            if (
                machines.template is UNKNOWN
                and not machines.aside(resources)
                and (machines.with_gpus or machines.hidden)
            ):
                yield machines, machines.template_not_visible().what
