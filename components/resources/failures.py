"""Reports resources that stay failed, which no later `up` would mention: a provider updates only what differs.

Where a provider or a data source has the state, it is read. Else the engine's state has the error of the creation, for
which the engine updates the resource without a difference: that update is refused, so the error stays. Such a resource
lacks the outputs that its provider reads after the creation. Sources: pulumi/pulumi@v3.250.0
pkg/resource/deploy/step_generator.go ("generate an empty update step"), step.go (RefreshStep drops the error);
pulumi/pulumi-terraform-bridge@59de6c66 pkg/tfbridge/provider.go (Create).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, TypeVar, cast

import pulumi

from gpucluster.components.resources.run import simulated
from gpucluster.core.catalog.resource_types import FailedState, failed_states

_T = TypeVar("_T")
_RPC: Final = "RPCManager.do_rpc"
"""In the name of a task of the SDK that waits for the engine."""
_GKE_POOL: Final = "gcp:container/nodePool:NodePool"
_NAT: Final = "aws:ec2/natGateway:NatGateway"
_GET_NAT: Final = "aws:ec2/getNatGateway:getNatGateway"
_GROUP: Final = "gcp:compute/getInstanceGroup:getInstanceGroup"
_MANAGER: Final = "gcp:compute/getInstanceGroupManager:getInstanceGroupManager"


class Failures:
    """A preview warns of each resource of a component that stays failed, and an update ends with an error, after
    everything else. One that is to be created or replaced is not known yet, and not reported.
    """

    def __init__(self) -> None:
        self._reports: list[pulumi.Output[None]] = []
        self._texts: list[str] = []

    def of(self, opts: pulumi.ResourceOptions | None) -> pulumi.ResourceOptions:
        """The options of the component."""
        return pulumi.ResourceOptions.merge(pulumi.ResourceOptions(transformations=[self._see]), opts)

    def before(self, output: pulumi.Output[_T]) -> pulumi.Output[_T]:
        """The output, which fails with them: the SDK awaits no other error of a component from another program."""
        if pulumi.runtime.is_dry_run():
            return output
        return pulumi.Output.all(output, *self._reports).apply(lambda found: found[0])

    def _see(self, args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
        row = failed_states().get(args.type_)
        if row is None:
            return None
        if row.states or args.type_ == _GKE_POOL:
            # A separate task: a program that is refused cancels it, and a bare coroutine would warn of that.
            found: Any = asyncio.ensure_future(_found(args, row))
            self._reports.append(pulumi.Output.from_input(found).apply(partial(self._report, args.name, row)))
        if not row.complete:
            return None
        hooks = pulumi.ResourceOptions(hooks=_refusal(args, row))
        return pulumi.ResourceTransformationResult(args.props, pulumi.ResourceOptions.merge(args.opts, hooks))

    async def _report(self, name: str, row: FailedState, found: Sequence[Any]) -> None:
        urn, id_, state = found
        if not state or (row.states and state not in row.states):
            return
        text = f"{name} {'is' if row.states else 'has'} {state}: {row.advice(urn, id_, sandbox=simulated())}"
        if pulumi.runtime.is_dry_run():
            pulumi.log.warn(text)
            return
        self._texts.append(text)
        # The SDK ends a program at the first error of an output, although registrations are still in progress.
        while registrations := [task for task in asyncio.all_tasks() if _RPC in str(task.get_coro())]:
            await asyncio.wait(registrations)
        raise pulumi.RunError("\n".join(self._texts))


def _refusal(args: pulumi.ResourceTransformationArgs, row: FailedState) -> pulumi.ResourceHookBinding:
    """Before an update of this resource."""

    def refuse(update: pulumi.ResourceHookArgs) -> None:
        """Warns in a preview, and raises RuntimeError otherwise, if its creation did not succeed."""
        if (update.old_outputs or {}).get(row.complete):
            return
        text = f"{update.name}: {row.advice(update.urn, update.id, sandbox=simulated())}"
        if not pulumi.runtime.is_dry_run():
            raise RuntimeError(text)
        pulumi.log.warn(text)

    # Names of hooks are unique in a program.
    name = f"{args.type_}-{args.name}-failure"
    return pulumi.ResourceHookBinding(
        before_update=[pulumi.ResourceHook(name, refuse, pulumi.ResourceHookOptions(on_dry_run=True))]
    )


async def _found(args: pulumi.ResourceTransformationArgs, row: FailedState) -> pulumi.Output[Sequence[Any]]:
    """URN, id and state of a resource; a coroutine, because its outputs exist only after the transformation."""
    made: Any = args.resource
    if args.type_ == _GKE_POOL:
        state = made.managed_instance_group_urls.apply(partial(_missing, args))
    elif args.type_ == _NAT:
        state = made.id.apply(partial(_state_of_gateway, args))
    else:
        state = getattr(made, "provisioning_state" if row.output == "provisioningState" else row.output)
    return pulumi.Output.all(made.urn, made.id, state)


async def _missing(args: pulumi.ResourceTransformationArgs, groups: Sequence[str] | None) -> str:
    """A text about the missing machines of a pool of GKE, whose state no output has; empty if there are enough. The
    cloud itself scales pools without a fixed size, and recreates Spot machines.

    Of the groups, not of the program, as a preview must not miss what an update will add. Source:
    hashicorp/terraform-provider-google@e03b7622: data_source_google_compute_instance_group.go (`size`),
    data_source_google_compute_instance_group_manager.go (`target_size`).
    """
    props: Any = args.props
    number = props.get("node_count")  # an output in a pool that the user's program adds
    if not groups or not isinstance(number, int) or not number or _field(props.get("node_config"), "spot"):
        return ""
    opts, found, wanted = pulumi.InvokeOptions(parent=args.resource), list[Any](), 0
    try:
        for group in groups:
            *_, project, _, zone, _, name = group.split("/")
            place = {"project": project, "zone": zone, "name": name}
            found.append(await pulumi.runtime.invoke_async(_GROUP, place, opts))
            wanted += int((await pulumi.runtime.invoke_async(_MANAGER, place, opts))["targetSize"])
    except Exception as error:  # the provider's error, whatever its form
        pulumi.log.warn(f"{args.name}: the number of its machines is unknown: {error}")
        return ""
    there = sum(int(group["size"]) for group in found)
    if least := _field(props.get("best_effort_provisioning"), "min_provision_nodes"):
        wanted = min(wanted, least)
    return f"{there} of {wanted} machines" if there < wanted else ""


async def _state_of_gateway(args: pulumi.ResourceTransformationArgs, id_: str) -> str:
    """The state of a NAT gateway, empty if it is unknown."""
    opts = pulumi.InvokeOptions(parent=args.resource)
    try:
        found = cast(dict[str, Any], await pulumi.runtime.invoke_async(_GET_NAT, {"id": id_}, opts) or {})
    except Exception as error:  # the provider's error, whatever its form
        pulumi.log.warn(f"{args.name}: its state is unknown: {error}")
        return ""
    return str(found.get("state") or "")


def _field(args: Any, name: str) -> Any:
    """A field of arguments, which a program may also write as a mapping."""
    return cast(dict[str, Any], args).get(name) if isinstance(args, dict) else getattr(args, name, None)
