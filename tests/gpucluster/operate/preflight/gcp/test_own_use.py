"""A stack that is up, or grows, needs no room for its own machines; those of others count as before."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.operate.preflight.answers import Answer
from tests.components.gcp.planning.test_plan import plan
from tests.gpucluster.operate.preflight.gcp.asked import of_account
from tests.gpucluster.operate.preflight.gcp.google import Call, Google, Refused
from tests.gpucluster.operate.preflight.gcp.world import metric, quotas, reservation, series

pytestmark = pytest.mark.usefixtures("login")
COMPUTE = "https://www.googleapis.com/compute/v1/projects/my-project"
CLUSTER = "goog-k8s-cluster-name"
HELD = "projects/my-project/reservations/h100-mega"
NETWORKS = ("vpc", *(f"gpu-{number}" for number in range(8)))


def _machine(*networks: str, type_: str = "a3-megagpu-8g", **more: Any) -> dict[str, Any]:
    disks = [
        {"boot": True, "type": "PERSISTENT", "diskSizeGb": "200"},
        {"type": "PERSISTENT", "diskSizeGb": "1000"},
        *([{"type": "SCRATCH", "diskSizeGb": "375"}] * 16 if type_.startswith("a3") else []),
    ]
    return {
        "machineType": f"{COMPUTE}/zones/us-central1-b/machineTypes/{type_}",
        "status": "RUNNING",
        "disks": disks,
        "scheduling": {"provisioningModel": "STANDARD"},
        "networkInterfaces": [
            {"network": f"{COMPUTE}/global/networks/trial-network-{name}-0a1b2c3"} for name in networks
        ],
        "labels": {CLUSTER: "trial-gcp-trial", "pulumi-stack": "gcp-trial"},
        "resourcePolicies": [f"{COMPUTE}/regions/us-central1/resourcePolicies/trial-training-placement-0a1b2c3"],
        **more,
    }


def _up(google: Google, nodes: int, **more: Any) -> None:
    """The stack's cluster has these training nodes and three of the system; another region has one of the same name.
    Another stack has a training node, and so has another project with a stack of this name.
    """
    training = [_machine(*NETWORKS, **more)] * nodes + [_machine(*NETWORKS, status="TERMINATED", **more)]
    system = [_machine("vpc", type_="e2-standard-8", resourcePolicies=[])] * 3
    others = [
        _machine("vpc", labels={CLUSTER: "trial-second", "pulumi-stack": "second"}),
        _machine("vpc", labels={CLUSTER: "odd", "pulumi-stack": "gcp-trial"}),
    ]
    scopes = {"us-central1-b": [*training, *system, *others], "europe-west4-b": training}

    def listed(call: Call) -> Any:
        assert call.given["filter"] == "labels.goog-k8s-cluster-name:*"
        return {"items": {f"zones/{zone}": {"instances": found} for zone, found in scopes.items()}}

    google.answers["compute.instances.aggregatedList"] = listed


def _full(google: Google, limit: int, others: int, nodes: int) -> None:
    """Quotas of a project whose machines of the stack and of others have been measured."""
    google.answers["compute.regions.get"] = lambda _: quotas(
        HDB_TOTAL_GB=(limit * 200, (nodes + others) * 200),
        SSD_TOTAL_GB=(2200, 600),
        IN_USE_ADDRESSES=(1, 1),
        RESOURCE_POLICIES=(1, 1),
        PREEMPTIBLE_NVIDIA_H100_GPUS=(8, 0),
        PREEMPTIBLE_CPUS=(208, 0),
    )
    google.answers["compute.projects.get"] = lambda _: quotas(
        GPUS_ALL_REGIONS=(limit * 8 + 8, (nodes + others) * 8), NETWORKS=(9 + others, 9 + others)
    )
    rates = {"gpus_per_gpu_family": 8, "cpus_per_vm_family": 208, "local_ssd_total_storage_per_vm_family": 6000}

    def limits(call: Call) -> Any:
        name = call.given["name"].rpartition("%2F")[2].rpartition("/")[2]
        dimension = ("gpu_family", "NVIDIA_H100_MEGA") if name.startswith("gpus") else ("vm_family", "A3")
        return metric(name, (limit * rates[name], {dimension[0]: dimension[1], "region": "us-central1"}))

    def measured(call: Call) -> Any:
        [rate] = [rate for name, rate in rates.items() if f"quota/{name}/" in call.given["filter"]] or [0]
        return series((nodes + others) * rate) if rate else series(36_000)

    google.answers["serviceusage.services.consumerQuotaMetrics.get"] = limits
    google.answers["monitoring.projects.timeSeries.list"] = measured
    lustre = {"metrics": [metric("StorageCapacity", (36_000, {}), service="lustre.googleapis.com")]}
    google.answers["serviceusage.services.consumerQuotaMetrics.list"] = lambda _: lustre
    name = "projects/my-project/locations/us-central1-b/instances/"
    google.answers["lustre.projects.locations.instances.list"] = lambda _: {
        "instances": [
            {"name": f"{name}trial-gcp-trial", "capacityGib": "36000"},
            {"name": f"{name}another", "capacityGib": "9000"},
        ]
    }


def _quotas(nodes: int) -> dict[str, Answer]:
    found = of_account(plan(training={"nodes": nodes, "spares": 0, "fabric_gbps": 1600}))
    return {
        answer.question.details["metric"] or "lustre": answer for answer in found if answer.question.about == "quota"
    }


@pytest.mark.parametrize(("nodes", "wanted"), [(4, 4), (4, 6)])
def test_a_stack_that_is_up_or_grows_needs_room_for_what_is_new_alone(nodes: int, wanted: int, google: Google) -> None:
    _up(google, nodes)
    _full(google, limit=wanted, others=0, nodes=nodes)
    found = _quotas(wanted)
    assert {name: answer.found for name, answer in found.items() if str(answer.verdict) != "fine"} == {}
    assert found["gpus_per_gpu_family"].found == f"{wanted * 8} GPUs, 32 in use, of it 32 by this stack"
    assert found["lustre"].found == "36,000 GiB, 36,000 in use, of it 36,000 by this stack"


def test_the_machines_of_others_leave_less_and_the_scenario_has_theirs_alone(google: Google) -> None:
    _up(google, 4)
    _full(google, limit=6, others=1, nodes=4)
    found = _quotas(6)
    short = {name for name, answer in found.items() if str(answer.verdict) == "stops up"}
    assert short >= {"gpus_per_gpu_family", "cpus_per_vm_family", "local_ssd_total_storage_per_vm_family"}
    assert found["gpus_per_gpu_family"].fix.startswith("ask for 56 or more")
    [row] = found["gpus_per_gpu_family"].scenario["quotas"]
    assert (row["limit"], row["usage"], row["stacks"]) == (48, 8, {"second": 8})


def test_spot_and_calendar_machines_count_where_google_counts_them(google: Google) -> None:
    _up(google, 4, scheduling={"provisioningModel": "SPOT"})
    _full(google, limit=4, others=0, nodes=4)
    assert str(_quotas(4)["gpus_per_gpu_family"].verdict) == "stops up"
    _up(google, 4, scheduling={"provisioningModel": "RESERVATION_BOUND"})
    assert str(_quotas(4)["gpus_per_gpu_family"].verdict) == "stops up"


def test_a_login_that_may_not_list_machines_cannot_tell(google: Google) -> None:
    def denied(_: Call) -> Any:
        raise Refused(403, "Required 'compute.instances.list' permission for 'projects/my-project'")

    _full(google, limit=4, others=0, nodes=4)
    google.answers["compute.instances.aggregatedList"] = denied
    found = _quotas(4)["gpus_per_gpu_family"]
    assert (str(found.verdict), found.found) == (
        "can't tell",
        "32 GPUs, 32 in use, what of it by this stack is unknown: you lack compute.instances.list",
    )


@pytest.mark.parametrize(
    ("values", "verdict", "found"),
    [
        ([HELD], "fine", "6 of 6 free for this stack, which uses 4"),
        (["h100-mega"], "fine", "6 of 6 free for this stack, which uses 4"),
        ([f"{HELD}/reservationBlocks/one"], "fine", "6 of 6 free for this stack, which uses 4"),
        (["another"], "stops up", "2 of 6 free"),
    ],
)
def test_machines_of_the_stack_in_its_reservation_are_free_for_it(
    values: list[str], verdict: str, found: str, google: Google
) -> None:
    _up(google, 4, reservationAffinity={"consumeReservationType": "SPECIFIC_RESERVATION", "values": values})
    google.answers["compute.reservations.get"] = lambda _: reservation(count=6, used=4, resourcePolicies={})
    placement = {"kind": "reservation", "id": HELD}
    answers = of_account(plan(training={"nodes": 6, "spares": 0, "fabric_gbps": 1600}, placement=placement))
    [answer] = [one for one in answers if one.question.about == "reservation"]
    assert (str(answer.verdict), answer.found) == (verdict, found)
