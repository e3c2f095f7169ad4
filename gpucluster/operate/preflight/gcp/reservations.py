"""A reservation by its name: its machines, who may use it, and how many are free.

Sources: Compute Engine API v1, discovery document; GKE documentation, "Consume reserved zonal resources";
GoogleCloudPlatform/cluster-toolkit v1.95.0, modules/compute/gke-node-pool (preconditions).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import Field

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.gcp.client import Client, Page, Reading, last
from gpucluster.operate.preflight.answers import Answer, fine, refused
from gpucluster.operate.preflight.gcp.own_use import Own

_COMPUTE: Final = "compute:v1"


class _Machine(Reading):
    machine_type: str = ""
    local_ssds: Sequence[Reading] = ()


class _Specific(Reading):
    count: int = 0
    in_use_count: int = 0
    instance_properties: _Machine = _Machine()


class _Share(Reading):
    share_type: str = "LOCAL"
    project_map: Mapping[str, Any] = Field(default_factory=dict[str, Any])


class _Reservation(Reading):
    name: str = ""
    zone: str = ""
    status: str = ""
    specific_reservation: _Specific = _Specific()
    specific_reservation_required: bool = False
    share_settings: _Share = _Share()
    resource_policies: Mapping[str, str] = Field(default_factory=dict[str, str])


class _Scope(Reading):
    reservations: Sequence[_Reservation] = ()


class _Everywhere(Page):
    items: Mapping[str, _Scope] = Field(default_factory=dict[str, _Scope])


class _Counted(Reading):
    count: int = 0
    in_use_count: int = 0
    status: str = ""


class _Block(Reading):
    resource: _Counted = _Counted()


class _Status(Reading):
    procurement_status: str = ""


class _Time(Reading):
    start_time: str = ""


class _Future(Reading):
    name: str = ""
    reservation_name: str = ""
    status: _Status = _Status()
    time_window: _Time = _Time()


class _Futures(Page):
    items: Sequence[_Future] = ()


def ask_reservations(client: Client, own: Own, questions: Sequence[Question]) -> list[Answer]:
    """Whether each reservation has the machines, free, for this project."""
    return [_reservation(client, own, one) for one in questions]


def _reservation(client: Client, own: Own, question: Question) -> Answer:
    _, owner, _, name, *block = question.subject.split("/")
    found = client.found(
        _COMPUTE, "reservations.get", _Reservation, project=owner, zone=question.place, reservation=name
    )
    if found is None:
        return _absent(client, question, owner, name)
    counted = _counted(client, question, found, owner, block)
    free = counted.count - counted.in_use_count
    by_stack = own.reserved(question.subject) if free < int(question.needed or 0) and counted.in_use_count else 0
    problems = _problems(question, found, free + by_stack, owner=owner, project=client.project)
    seen = f"{free + by_stack:,} of {counted.count:,} free" + (
        f" for this stack, which uses {by_stack:,}" if by_stack else ""
    )
    if not problems:
        return fine(question, seen)
    command = f"gcloud compute reservations describe {name} --zone={question.place} --project={owner}"
    return refused(question, seen, "; ".join(problems), command)


def _counted(
    client: Client, question: Question, found: _Reservation, owner: str, block: Sequence[str]
) -> _Specific | _Counted:
    """Of the block, if the spec names one."""
    if not block:
        return found.specific_reservation
    where = {"project": owner, "zone": question.place, "reservation": found.name}
    return client.ask(_COMPUTE, "reservationBlocks.get", _Block, **where, reservationBlock=block[1]).resource


def _problems(question: Question, found: _Reservation, free: int, *, owner: str, project: str) -> list[str]:
    wanted = question.details
    machine = found.specific_reservation.instance_properties
    policies = [last(policy) for policy in found.resource_policies.values()]
    needed = int(question.needed or 0)
    problems = [f"it is {found.status.lower() or 'in no state'}, not ready"] if found.status != "READY" else []
    if machine.machine_type != wanted["machine"]:
        problems.append(f"it holds {machine.machine_type or 'no machines by type'}, not {wanted['machine']}")
    elif machine.local_ssds and len(machine.local_ssds) != int(wanted["local_ssds"]):
        problems.append(f"its machines have {len(machine.local_ssds)} local SSDs, not {wanted['local_ssds']}")
    if free < needed:
        problems.append(f"{needed - free} more must be free: enlarge it, or request fewer nodes")
    if not found.specific_reservation_required:
        problems.append(
            "any machine of the project may take its capacity: make it specific (--require-specific-reservation)"
        )
    if owner != project and not _shared(found.share_settings, project):
        problems.append(f"{owner} does not share it with {project}")
    if wanted["policy"] and wanted["policy"] not in policies:
        problems.append(f"its placement policy is {', '.join(policies) or 'none'}, not {wanted['policy']}")
    if policies and not wanted["policy"]:
        problems.append(f"it has the placement policy {policies[0]}: write it as placement.group")
    return problems


def _shared(share: _Share, project: str) -> bool:
    return share.share_type == "ORGANIZATION" or project in share.project_map


def _absent(client: Client, question: Question, owner: str, name: str) -> Answer:
    """Where it is, or when it will be."""
    pages = client.pages(_COMPUTE, "reservations.aggregatedList", _Everywhere, project=owner, filter=f"name={name}")
    zones = sorted(last(place) for page in pages for place, scope in page.items.items() if scope.reservations)
    command = f"gcloud compute reservations list --project={owner}"
    if zones:
        return refused(question, f"it is in {', '.join(zones)}", f"set the zone of the stack to {zones[0]}", command)
    where = {"project": owner, "zone": question.place}
    futures = [
        one for page in client.pages(_COMPUTE, "futureReservations.list", _Futures, **where) for one in page.items
    ]
    for future in futures:
        if name in (future.name, future.reservation_name):
            status = future.status.procurement_status.lower().replace("_", " ")
            fix = f"wait until it is delivered, {future.time_window.start_time or _NO_DAY}"
            return refused(question, f"future reservation, {status}", fix, command)
    return refused(question, "does not exist", "write the id of a reservation as placement.id", command)


_NO_DAY: Final = "whose day is not known"
