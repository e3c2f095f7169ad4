"""Reports the effect of an update on nodes, and stops updates that end running jobs unless the spec allows them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any, Final, Protocol, cast

import pulumi

from gpucluster.core.catalog.machines import Machine, machines
from gpucluster.core.catalog.nodes import Effect, NodeChange, covered, ends_jobs, node_changes, worst

_WORDS: Final[dict[Effect, str]] = {
    "drain": "drains {}; jobs on them end",
    "reboot": "reboots {}, one at a time; jobs on them end",
    "rolling": "replaces {}, one at a time; jobs on them end",
    "refused": "needs a new pool for {}, because the cloud does not change it on running nodes; jobs on them end",
    "loss": "replaces {}, all at once; jobs on them end",
}


BLOCKS: Final = "blocks"
"""Input of a pool in several capacity blocks: the nodes in each."""


class PoolNodes(Protocol):
    """started: number of running nodes; without any, no job ends. roll: whether an update may replace them."""

    @property
    def shape(self) -> Machine: ...
    @property
    def started(self) -> int: ...
    @property
    def roll(self) -> bool: ...


class RollGuard:
    """The hooks of one pool, for its component and for all resources that define its nodes.

    They run before each update, in a preview as well, and so before any change: after a stop, a template that nodes may
    not follow would need one more version to revert it, and another roll. Settings that force a new pool are also
    inputs of the component, because its update hooks run, while a replaced child's do not.
    """

    def __init__(
        self,
        component: str,
        pool: str,
        made_of: Collection[str],
        plan: PoolNodes,
        *,
        field: str,
        optional: Collection[str] = (),
        gpu_hour_usd: Decimal | None = None,
    ) -> None:
        """component: its type. made_of: inputs of the component that force a new pool; other inputs are for
        information. field: of the spec, which sets `roll` of the plan. optional: inputs that force a new pool, and that
        the component has only if they are set. gpu_hour_usd: None if no price is known.
        """
        self._component, self._made_of, self._optional = component, frozenset(made_of), frozenset(optional)
        self._pool, self._field, self._allowed = pool, field, plan.roll
        self._nodes, self._machine_type, self._gpu_hour_usd = plan.started, plan.shape.machine_type, gpu_hour_usd
        self._told = False
        # Hook names must be unique in a program; pools of two clouds may have the same name.
        name = f"{component}-{pool}-keeps-jobs"
        hook = pulumi.ResourceHook(name, self._check, pulumi.ResourceHookOptions(on_dry_run=True))
        self._binding = pulumi.ResourceHookBinding(before_update=[hook])

    def over(self, opts: pulumi.ResourceOptions | None) -> pulumi.ResourceOptions:
        """The options of a resource, with the hooks."""
        return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(hooks=self._binding))

    def _check(self, args: pulumi.ResourceHookArgs) -> None:
        if not args.old_inputs or not self._nodes or self._told or _is_empty(args.old_inputs):
            return
        changed = node_changes(args.type, args.old_inputs, args.new_inputs or {})
        if args.type == self._component:
            # A component of an older version does not record all of these inputs.
            recorded = self._made_of.intersection(args.old_inputs) | self._optional
            self._say_which_blocks_leave(args)
            changed = tuple(one for one in changed if one.path in recorded)
        ending = ends_jobs(changed)
        if not ending:
            self._say_that_they_stay(args, changed)
            return
        # Launch templates and components name the machine; other resources can't have changed it.
        running = args.old_inputs.get("instanceType") or args.old_inputs.get("machineType") or self._machine_type
        what = f"{self._pool}: {_WORDS[worst(ending)].format(f'{self._nodes} x {running}')}"
        because = f"{args.name} changes in {', '.join(one.path for one in ending)}"
        if not self._allowed:
            raise RuntimeError(
                f"{what}: {because}; revert the change, or write {self._field}: true into the spec for this update"
                f"; {self._loss_per_hour(str(running))}"
            )
        self._told = True  # the pool follows its template
        pulumi.log.warn(f"{what}: {because}; allowed by {self._field}; {self._loss_per_hour(str(running))}")

    def _say_that_they_stay(self, args: pulumi.ResourceHookArgs, changed: Collection[NodeChange]) -> None:
        if not changed or args.type not in covered():
            return
        paths = ", ".join(one.path for one in changed)
        fewer = sum(one.fewer for one in changed)
        if fewer:
            pulumi.log.warn(f"{self._pool}: nodes removed: {fewer}; jobs on them end: {args.name} changes in {paths}")
        else:
            pulumi.log.info(f"{self._pool}: nodes and jobs stay: {args.name} changes in {paths}")

    def _say_which_blocks_leave(self, args: pulumi.ResourceHookArgs) -> None:
        """The node group of a block is deleted with its block, and so without an update that shows the number."""
        old, new = (
            cast(Mapping[str, Any], (each or {}).get(BLOCKS) or {}) for each in (args.old_inputs, args.new_inputs)
        )
        for block in sorted({*old} - {*new} if new else ()):
            pulumi.log.warn(f"{self._pool}: nodes removed: {int(old[block])}, those of {block}; jobs on them end")

    def _loss_per_hour(self, running: str) -> str:
        """The loss for each hour since the last checkpoint."""
        machine = machines().get(running)
        if machine is None:
            return "the number of GPUs is unknown"
        gpus, price = self._nodes * machine.gpus, self._gpu_hour_usd if running == self._machine_type else None
        usd = "" if price is None else f" (${gpus * price:,.2f})"
        return f"at stake are {gpus:,} GPU-hours{usd} for each hour since the last checkpoint"


def _is_empty(group: Mapping[str, Any]) -> bool:
    """Whether a node group of EKS has no nodes yet. It follows its template in the update that starts them."""
    scaling: Any = group.get("scalingConfig")
    return isinstance(scaling, Mapping) and cast(Mapping[str, Any], scaling).get("desiredSize") == 0
