"""Declares a spec's cluster on the cloud that a stack's configuration names."""

from __future__ import annotations

from collections.abc import Callable

import pulumi

from components.plan import PlanError
from components.spec import ClusterSpec

__all__ = ["declare"]


def declare(spec: ClusterSpec, config: pulumi.Config, *, stack: str) -> pulumi.ComponentResource:
    """The cluster of a spec, in the cloud and at the place of the stack's configuration.

    Raises PlanError with every reason why the cloud can't carry it there.
    """
    clouds: dict[str, Callable[[ClusterSpec, pulumi.Config, str], pulumi.ComponentResource]] = {"aws": _aws}
    cloud = config.require("cloud")
    if cloud not in clouds:
        raise PlanError([f"{config.full_key('cloud')} is {cloud!r}; allowed: {', '.join(clouds)}"])
    return clouds[cloud](spec, config, stack)


def _aws(spec: ClusterSpec, config: pulumi.Config, stack: str) -> pulumi.ComponentResource:
    # Imported here: an SDK takes seconds, and a stack needs one cloud's only.
    import pulumi_aws as aws

    from components.aws.cluster import TrainingCluster
    from components.aws.location import parse_location
    from components.aws.plan import plan_cluster

    location = parse_location(
        region=config.require("region"), zone=config.require("zone"), second_zone=config.get("secondZone")
    )
    if isinstance(location, list):
        raise PlanError([f"{config.full_key('')}{problem}" for problem in location])
    plan = plan_cluster(spec, location, stack=stack)
    for loss in plan.facts["losses"]:
        pulumi.log.warn(f"{plan.name}: not to be had on AWS: {loss}")
    pulumi.log.info(f"{plan.name}: API reachable {plan.access.summary}")
    provider = aws.Provider("aws", region=location.region)
    return TrainingCluster(plan.name, plan, pulumi.ResourceOptions(providers=[provider]))
