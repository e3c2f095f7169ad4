"""Stops an update that replaces nodes under running jobs, unless the spec says so."""

from __future__ import annotations

from collections.abc import Collection

import pulumi

from gpucluster.catalog.node_changes import in_place, recycling

__all__ = ["RollGuard"]


class RollGuard:
    """The hooks of one pool, for its component and for all resources that say what its nodes are made of.

    They run before each update, in a preview as well, and so before anything is changed: a template that the nodes may
    not follow would be one more version on the way back, and another roll. What forces a new pool is an input of the
    component, which has hooks of an update where its child, made anew, has none.
    """

    def __init__(
        self,
        component: str,
        pool: str,
        made_of: Collection[str],
        *,
        field: str,
        nodes: int,
        machine_type: str,
        allowed: bool,
    ) -> None:
        """component: its type. made_of: inputs of the component that force a new pool; others tell what it is for.
        field: of the spec, which allows it. nodes: how many run; where none do, no job ends.
        """
        self._component, self._made_of = component, frozenset(made_of)
        self._pool, self._field, self._allowed = pool, field, allowed
        self._nodes, self._machine_type = nodes, machine_type
        self._told = False
        # Hooks of one program have one name each; pools of two clouds may share theirs.
        name = f"{component}-{pool}-keeps-jobs"
        hook = pulumi.ResourceHook(name, self._check, pulumi.ResourceHookOptions(on_dry_run=True))
        self._binding = pulumi.ResourceHookBinding(before_update=[hook])

    def over(self, opts: pulumi.ResourceOptions | None) -> pulumi.ResourceOptions:
        """The options of a resource, with the hooks."""
        return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(hooks=self._binding))

    def _check(self, args: pulumi.ResourceHookArgs) -> None:
        if not args.old_inputs or not self._nodes or self._told:
            return
        changed = recycling(args.type, args.old_inputs, args.new_inputs or {})
        if args.type == self._component:
            # A component of an older version does not say all of it.
            changed = tuple(name for name in changed if name in self._made_of and name in args.old_inputs)
        if not changed:
            return
        pace = "one at a time" if args.type in in_place() else "all at once"
        # Launch templates and components name the machine; what has no name for it has not changed it either.
        running = args.old_inputs.get("instanceType") or args.old_inputs.get("machineType") or self._machine_type
        what = f"{self._pool}: replaces {self._nodes} x {running}, {pace}; jobs on them end"
        because = f"{args.name} changes in {', '.join(changed)}"
        if not self._allowed:
            raise RuntimeError(
                f"{what}: {because}; take the change back, or write {self._field}: true into the spec for this update"
            )
        self._told = True  # the pool follows its template
        pulumi.log.warn(f"{what}: {because}; allowed by {self._field}")
