"""Log Analytics workspaces: what is taken for granted of those that a cluster writes to."""

from __future__ import annotations

from collections.abc import Callable

from gpucluster.cost import Assumptions, Estimate
from gpucluster.program.resources import Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]
PREFIX = "azure-native:"


def _stack(make: Make, days: int = 30) -> list[Resource]:
    workspace = make(f"{PREFIX}operationalinsights:Workspace", "w", location="eastus2", retentionInDays=days)
    cluster = make(
        f"{PREFIX}containerservice:ManagedCluster",
        "c",
        location="eastus2",
        addonProfiles={"omsagent": {"enabled": True}},
        agentPoolProfiles=[{"name": "system", "count": 3, "vmSize": "Standard_D8ds_v5", "osDiskType": "Ephemeral"}],
        networkProfile={"outboundType": "none"},
        dependencies={"addonProfiles": workspace},
    )
    pool = make(
        f"{PREFIX}containerservice:AgentPool",
        "p",
        location="eastus2",
        count=5,
        vmSize="Standard_ND96isr_H100_v5",
        osDiskType="Ephemeral",
        dependencies={"resourceName": cluster},
    )
    setting = make(
        f"{PREFIX}monitor:DiagnosticSetting", "s", dependencies={"resourceUri": cluster, "workspaceId": workspace}
    )
    return [workspace, cluster, pool, setting]


def _lines(found: Estimate) -> list[tuple[str, str, str]]:
    return [
        (line.name, f"{line.quantity}", f"{line.monthly}")
        for line in found.lines
        if "ogs" in line.name or "Log Analytics" in line.name
    ]


def test_pods_and_control_plane_are_estimated_by_the_nodes_and_paid_once(make: Make, cost_of: CostOf) -> None:
    assert _lines(cost_of(*_stack(make))) == [
        ("Pod logs ingested", "32", "88.32"),  # 4 GiB from each of 8 nodes
        ("Control-plane logs ingested", "13.0", "35.88"),  # 9 GiB and half a GiB for each node
    ]


def test_what_is_kept_for_longer_than_is_free_is_paid_by_the_month(make: Make, cost_of: CostOf) -> None:
    # 45 GiB a month, each for 59 days more, of 30.4 in a month.
    assert _lines(cost_of(*_stack(make, 90)))[-1] == ("Logs kept beyond 31 days", "87.29", "10.47")


def test_the_estimate_gives_way_to_what_usage_says(make: Make, cost_of: CostOf) -> None:
    usage = Assumptions().with_values({"log_gib": "100"})
    assert _lines(cost_of(*_stack(make), assumptions=usage))[0] == ("Logs ingested", "100", "276.00")


def test_another_way_to_pay_is_named(make: Make, cost_of: CostOf) -> None:
    workspace = make(
        f"{PREFIX}operationalinsights:Workspace", "w", location="eastus2", sku={"name": "CapacityReservation"}
    )
    [left] = cost_of(workspace).not_priced
    assert left.reason == "sku.name is 'CapacityReservation': the price book has logs billed by the GiB only"
