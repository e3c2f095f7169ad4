"""The exact names and amounts of every question, in `gcp.txt`: written anew with UPDATE_GOLDEN=1."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from gpucluster.components.gcp.location import Location
from gpucluster.core.program.questions import Question
from gpucluster.operate.preflight.document import needed
from tests.components.gcp.planning.test_plan import plan, training

GOLDEN: Final = Path(__file__).parent / "gcp.txt"
RESERVATION: Final = {
    "kind": "reservation",
    "id": "projects/my-project/reservations/h100-mega",
    "group": "mega-placement",
}
ZONE_A: Final = Location(project="my-project", region="us-central1", zone="us-central1-a")
CALENDAR: Final = {"kind": "reservation", "id": "projects/my-project/reservations/calendar"}
OWN_NETWORK: Final = {
    "existing": {
        "id": "projects/my-project/global/networks/office",
        "cidr": "10.20.0.0/20",
        "nodes": "projects/my-project/regions/us-central1/subnetworks/office-nodes",
        "pods": "pods",
        "services": "services",
        "storage": "10.30.0.0/20",
    }
}


def _plan(nodes: int, **changes: Any) -> tuple[Question, ...]:
    placement = {} if nodes > 1 else {"placement": {"kind": "none"}}
    wanted: dict[str, Any] = {"training": training(nodes=nodes, spares=0), **placement, **changes}
    return plan(**wanted).facts.questions


def _plans() -> Iterator[tuple[str, tuple[Question, ...]]]:
    for nodes in (1, 4, 32, 128):
        yield f"{nodes} on demand", _plan(nodes)
    yield "4 in a reservation", _plan(4, placement=RESERVATION, elastic=None)
    yield "4 with flex-start", _plan(4, purchase={"kind": "flex-start"}, duration="5d", elastic=None)
    calendar = {"kind": "capacity-block", "active": False}
    yield "4 in a calendar reservation", _plan(4, purchase=calendar, placement=CALENDAR, elastic=None)
    ultra = training(fabric_gbps=3200, spares=0)
    yield "4 of H200", _plan(4, accelerator="h200", elastic=None, training=ultra)
    yield (
        "4 of B200 in a reservation",
        _plan(4, accelerator="b200", elastic=None, training=ultra, placement=RESERVATION),
    )
    yield (
        "4 of A100",
        _plan(4, location=ZONE_A, accelerator="a100-80gb", elastic=None, training=training(fabric_gbps=0, spares=0)),
    )
    bucket = {"shared": {"kind": "bucket", "usable_tib": 20, "protect": False}, "home": {"expected_gib": 500}}
    yield "4 with a bucket, home folders and long logs", _plan(4, storage=bucket, telemetry={"logs": {"keep_days": 90}})
    yield "4 in the user's network", _plan(4, network=OWN_NETWORK, elastic=None)


def _lines(questions: tuple[Question, ...], before: set[str]) -> Iterator[str]:
    """Those of the first plan, and of the others what it has not."""
    for one in questions:
        name = f"{one.subject} ({one.details['permissions']})" if "permissions" in one.details else one.subject
        weight = "" if one.decides else "  (does not decide)"
        line = f"  {one.about:<12} {name}, {one.place or 'everywhere'}: {needed(one)}{weight}"
        if line not in before:
            yield line
        before.add(line)


def test_the_names_and_amounts_are_those_of_the_table() -> None:
    before: set[str] = set()
    found = "".join(f"{title}\n" + "".join(f"{line}\n" for line in _lines(asked, before)) for title, asked in _plans())
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(found)
    assert found == GOLDEN.read_text()


def test_a_reserved_quota_does_not_decide() -> None:
    reserved = {
        one.subject: one.decides for one in _plan(4, placement=RESERVATION, elastic=None) if one.about == "quota"
    }
    assert [name for name, decides in reserved.items() if not decides] == [
        "GPUS-PER-GPU-FAMILY-per-project-region gpu_family=NVIDIA_H100_MEGA",
        "CPUS-PER-VM-FAMILY-per-project-region vm_family=A3",
        "local_ssd_total_storage_per_vm_family vm_family=A3",
        "GPUS-ALL-REGIONS-per-project",
    ]


def test_only_a_network_that_the_cluster_creates_needs_peering_and_nat_to_be_allowed() -> None:
    policies = {"compute.restrictVpcPeering", "compute.restrictCloudNATUsage"}
    assert {one.subject for one in _plan(4) if one.about == "policy"} >= policies
    assert not {one.subject for one in _plan(4, network=OWN_NETWORK) if one.about == "policy"} & policies


def test_the_notes_of_questions_are_those_of_the_plan() -> None:
    made = plan(placement=RESERVATION, network=OWN_NETWORK)
    notes = dict.fromkeys(one.note for one in made.facts.questions if one.note)
    assert [note for note in made.facts.before_up if note in notes] == list(notes)
    assert [note.split()[0] for note in notes] == [
        "projects/my-project/reservations/h100-mega",
        "network:",
        "network:",
        "required",
    ]
