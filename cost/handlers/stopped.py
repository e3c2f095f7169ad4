"""Machines that are stopped: their disks are billed, their hours and assigned public addresses are not.

Sources: EC2 user guide, "Stop and start Amazon EC2 instances"; Azure documentation, "States and billing of Azure
Virtual Machines"; Compute Engine documentation, "Stop or restart a Compute Engine instance", billing. EC2 and Azure
declare no state with the machine: it is a resource of its own, or an output of the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gpucluster.cost.pricing import CannotPrice, Pricing, read
from gpucluster.program.resources import UNKNOWN, Resource, Resources, once
from gpucluster.program.values import is_list

_STATE: Final = "aws:ec2transitgateway/instanceState:InstanceState"
_INSTANCE: Final = "aws:ec2/instance:Instance"


def instance_is_stopped(resources: Resources, instance: Resource) -> bool:
    """Whether an EC2 instance is declared to be stopped, or was at the last refresh. Raises CannotPrice if the declared
    state is unknown.
    """
    declared = _declared(resources)[0].get(instance.urn)
    if declared is not None:
        state = declared.inputs.get("state")
        if state is UNKNOWN:
            raise CannotPrice(f"state of {declared.name} is not known before the update: whether the machine runs")
        return state == "stopped"
    return instance.outputs.get("instanceState") in ("stopped", "stopping")


def virtual_machine_is_deallocated(item: Pricing) -> bool:
    """Whether an Azure machine was deallocated at the last refresh; one that is only stopped is billed in full."""
    statuses = read(item.resource.outputs, "instanceView", "statuses")
    return is_list(statuses) and any(
        read(status, "code") in ("PowerState/deallocated", "PowerState/deallocating") for status in statuses
    )


def google_status(item: Pricing) -> str:
    """The state of a Compute Engine machine, RUNNING, SUSPENDED or TERMINATED: the declared one, or that of the last
    refresh.
    """
    found = item.resource.outputs.get("currentStatus")
    default = {"STOPPING": "TERMINATED", "SUSPENDING": "SUSPENDED"}.get(str(found), found)
    return item.text("desiredStatus", default=default if default in ("SUSPENDED", "TERMINATED") else "RUNNING")


def say_stopped(item: Pricing, name: str = "", *, reserved: bool = False) -> None:
    """An assumption of the report: the machines stay stopped all month. name: of the pool, by default of the resource.
    reserved: whether a reservation bills their hours all the same.
    """
    hours = "and so are its hours, by their reservation" if reserved else "its hours are not"
    item.guesses.add(f"{name or item.resource.name} is stopped and stays so: its disks are billed, {hours}")


@once
def _declared(resources: Resources) -> Iterator[Mapping[str, Resource]]:
    """URN of an instance -> the resource that declares its state."""
    yield {
        instance.urn: state
        for state in resources.of_type(_STATE)
        if (instance := resources.referred(state, "instanceId", _INSTANCE)) is not None
    }
