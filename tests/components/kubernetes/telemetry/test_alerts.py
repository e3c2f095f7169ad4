"""The alerts, judged by Prometheus' own promtool: their syntax, and when they fire."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.kubernetes.telemetry.alerts import (
    Watched,
    azure_rule_groups,
    counters_csv,
    dashboards,
    gke_rules,
    prometheus_operator_rule,
    rule_file,
)
from tests.components.kubernetes.telemetry.promtool_run import WATCHED, check, fires

UNPRICED = Watched(labels={"team": "research"}, gpus=8, gpu_hour_usd=None)
ON = 'pod="train-0", namespace="training", Hostname="node-a"'


def rules(watched: Watched) -> list[dict[str, Any]]:
    return [rule for group in rule_file(watched)["groups"] for rule in group["rules"]]


def alerts(watched: Watched) -> list[str]:
    return [rule["alert"] for rule in rules(watched) if "alert" in rule]


def gpus(metric: str, values: str, *, count: int = 8, labels: str = ON) -> dict[str, str]:
    return {f'{metric}{{gpu="{index}", {labels}}}': values for index in range(count)}


def idle(utilisation: str, used: str) -> dict[str, str]:
    return {
        **gpus("DCGM_FI_DEV_GPU_UTIL", utilisation),
        **gpus("DCGM_FI_DEV_FB_USED", used),
        **gpus("DCGM_FI_DEV_FB_FREE", "70000x120"),
    }


@pytest.mark.parametrize("watched", [WATCHED, UNPRICED])
def test_prometheus_takes_the_rules(tool: Path, tmp_path: Path, watched: Watched) -> None:
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump(rule_file(watched)))

    said = check(tool, "check", "rules", "--lint=all", "--lint-fatal", "rules.yaml", cwd=tmp_path)

    assert said.returncode == 0, said.stdout + said.stderr


def test_idle_gpus_are_told_in_dollars_after_half_an_hour(tool: Path, tmp_path: Path) -> None:
    series = idle("2x120", "20000x120")

    assert fires(tool, tmp_path, series, "GpuIdle", 29) == []
    assert fires(tool, tmp_path, series, "GpuIdle", 31) == [
        "$55.04 an hour idle: train-0 holds GPUs of node-a with data in their memory and has used less than 5 % of "
        "them for 30 minutes"
    ]


def test_a_scrape_that_renames_the_exporters_labels_tells_the_same(tool: Path, tmp_path: Path) -> None:
    exported = (
        'exported_pod="train-0", exported_namespace="training", pod="exporter", namespace="gpu", Hostname="node-a"'
    )
    series = {
        **gpus("DCGM_FI_DEV_GPU_UTIL", "2x120", labels=exported),
        **gpus("DCGM_FI_DEV_FB_USED", "20000x120", labels=exported),
        **gpus("DCGM_FI_DEV_FB_FREE", "70000x120", labels=exported),
    }

    (summary,) = fires(tool, tmp_path, series, "GpuIdle", 31)

    assert summary.startswith("$55.04 an hour idle: train-0 holds")


@pytest.mark.parametrize(("utilisation", "used"), [("5x120", "20000x120"), ("2x120", "100x120")])
def test_busy_or_empty_gpus_are_not_idle(tool: Path, tmp_path: Path, utilisation: str, used: str) -> None:
    assert fires(tool, tmp_path, idle(utilisation, used), "GpuIdle", 60) == []


@pytest.mark.parametrize(
    ("utilisation", "used", "summaries"),
    [
        (
            "2x120",
            "100x120",
            ["$55.04 an hour held and idle: train-0 holds GPUs of node-a and has not used them for an hour"],
        ),
        ("5x120", "100x120", []),
        ("2x120", "20000x120", []),
    ],
    ids=["empty", "busy", "loaded"],
)
def test_gpus_that_a_pod_holds_without_any_data_are_told_after_an_hour(
    tool: Path, tmp_path: Path, utilisation: str, used: str, summaries: list[str]
) -> None:
    assert fires(tool, tmp_path, idle(utilisation, used), "GpuHeldUnused", 59) == []
    assert fires(tool, tmp_path, idle(utilisation, used), "GpuHeldUnused", 61) == summaries


def test_slices_whose_utilisation_is_always_0_are_not_idle_gpus(tool: Path, tmp_path: Path) -> None:
    sliced = f'GPU_I_PROFILE="1g.10gb", GPU_I_ID="7", {ON}'
    series = {
        **gpus("DCGM_FI_DEV_GPU_UTIL", "0x120", labels=sliced),
        **gpus("DCGM_FI_DEV_FB_USED", "8000x120", labels=sliced),
        **gpus("DCGM_FI_DEV_FB_FREE", "2000x120", labels=sliced),
    }

    assert fires(tool, tmp_path, series, "GpuIdle", 60) == []


OVER_A_FABRIC = replace(WATCHED, fabric_gbps=1600, nccl_net="FasTrak")


def gang(utilisation: int, sent: str, *, nodes: int = 2, name: str = "train-node-0") -> dict[str, str]:
    """The GPUs of a job over some nodes, each sending so many bytes a second over PCIe."""
    series: dict[str, str] = {}
    for node in range(nodes):
        on = f'pod="{name}-{node}-x7k2p", namespace="training", Hostname="node-{node}"'
        series |= gpus("DCGM_FI_DEV_GPU_UTIL", f"{utilisation}x60", labels=on)
        series |= gpus("DCGM_FI_PROF_PCIE_TX_BYTES", sent, labels=on)
    return series


# Of lab-22 of elideng-sg/hypercomputer-internode-deepdive, on A3 Mega: 1,327 Gb/s a node over the fabric, 29.7 by TCP.
BY_FABRIC, BY_TCP = "20739062500x60", "464062500x60"


def test_busy_gpus_of_several_nodes_that_send_what_tcp_carries_are_told(tool: Path, tmp_path: Path) -> None:
    (summary,) = fires(tool, tmp_path, gang(100, BY_TCP), "FabricCarriesLittle", 30, OVER_A_FABRIC)

    assert summary == (
        "train keeps the GPUs of several nodes busy, but each node sends over PCIe less than a tenth of the fabric's "
        "1,600 Gb/s"
    )


@pytest.mark.parametrize(
    "series",
    [gang(100, BY_FABRIC), gang(40, BY_TCP), gang(100, BY_TCP, nodes=1), gang(100, BY_TCP, name="notebook")],
    ids=["over the fabric", "idle", "on one node", "no gang"],
)
def test_a_fabric_that_carries_or_need_not_is_not(tool: Path, tmp_path: Path, series: dict[str, str]) -> None:
    assert fires(tool, tmp_path, series, "FabricCarriesLittle", 30, OVER_A_FABRIC) == []


def test_without_a_fabric_nobody_is_told_of_one() -> None:
    assert len(set(alerts(OVER_A_FABRIC)) - set(alerts(WATCHED))) == 1


def test_without_a_price_gpus_are_counted(tool: Path, tmp_path: Path) -> None:
    (summary,) = fires(tool, tmp_path, idle("2x120", "20000x120"), "GpuIdle", 31, UNPRICED)

    assert summary.startswith("8 GPUs (no price is known) idle: ")


def test_eight_gpus_of_which_two_are_busy(tool: Path, tmp_path: Path) -> None:
    def series(busy: int) -> dict[str, str]:
        found = gpus("DCGM_FI_DEV_GPU_UTIL", "0x180")
        return {**found, **dict.fromkeys(list(found)[:busy], "90x180")}

    assert fires(tool, tmp_path, series(3), "GpusAskedAndNotUsed", 130) == []
    (summary,) = fires(tool, tmp_path, series(2), "GpusAskedAndNotUsed", 130)
    assert summary.startswith("$41.28 an hour unused: train-0 requested 8 GPUs or more")


def test_a_node_that_lost_a_gpu_is_broken_and_costs_all_of_itself(tool: Path, tmp_path: Path) -> None:
    series = {
        **gpus("DCGM_FI_DEV_GPU_TEMP", "40x60", count=7),
        'DCGM_FI_DEV_GPU_TEMP{gpu="7", ' + ON + "}": "40x20 stale _x30",
    }

    assert fires(tool, tmp_path, series, "NodeLacksGpus", 15) == []
    assert fires(tool, tmp_path, series, "NodeLacksGpus", 40) == [
        "node-a has only 7 GPUs left: it counts as broken, $55.04 an hour that no gang can use"
    ]


def broken(state: str, values: str = "1x120") -> dict[str, str]:
    return {f'gpucluster_node_broken{{node="node-a", state="{state}"}}': values}


@pytest.mark.parametrize("state", ["drained", "reported", "silent"])
def test_a_node_that_broke_is_told_at_once_and_in_dollars_after_an_hour(tool: Path, tmp_path: Path, state: str) -> None:
    series = broken(state)

    assert fires(tool, tmp_path, series, "NodeBroken", 1) == []
    assert fires(tool, tmp_path, series, "NodeBroken", 3) == [
        f"GPU node node-a is broken ({state}): kubectl get events shows the reason"
    ]
    assert fires(tool, tmp_path, series, "NodeStaysBroken", 59) == []
    assert fires(tool, tmp_path, series, "NodeStaysBroken", 61) == [
        "$55.04 an hour broken: GPU node node-a was not repaired within an hour"
    ]
    assert fires(tool, tmp_path, series, "HealingStopped", 61) == []


def test_a_node_that_was_repaired_is_told_of_no_more(tool: Path, tmp_path: Path) -> None:
    assert fires(tool, tmp_path, broken("drained", "1x30 stale"), "NodeBroken", 31) == []
    assert fires(tool, tmp_path, broken("drained", "1x30 stale"), "NodeStaysBroken", 61) == []


def test_more_broken_nodes_than_may_be_drained_are_told(tool: Path, tmp_path: Path) -> None:
    assert fires(tool, tmp_path, broken("left_alone"), "NodeBroken", 10) == []
    assert fires(tool, tmp_path, broken("left_alone"), "HealingStopped", 1) == [
        "More than a fifth of the GPU nodes are broken: 1 of them keep their jobs, because a common cause is likely"
    ]


@pytest.mark.parametrize(
    ("alert", "metric", "quiet", "loud"),
    [
        ("GpuUnderused", "DCGM_FI_PROF_SM_ACTIVE", "0.61x500", "0.59x500"),
        ("GpuMemoryOversized", "DCGM_FI_DEV_FB_USED", "56000x500", "55000x500"),
    ],
)
def test_the_wrong_size_is_told_after_six_hours(
    tool: Path, tmp_path: Path, alert: str, metric: str, quiet: str, loud: str
) -> None:
    known = {**gpus("DCGM_FI_DEV_GPU_UTIL", "80x500"), **gpus("DCGM_FI_DEV_FB_FREE", "24000x500")}

    assert fires(tool, tmp_path, {**known, **gpus(metric, quiet)}, alert, 400) == []
    assert fires(tool, tmp_path, {**known, **gpus(metric, loud)}, alert, 300) == []
    (summary,) = fires(tool, tmp_path, {**known, **gpus(metric, loud)}, alert, 400)
    assert summary.startswith("$55.04 an hour ")


@pytest.mark.parametrize(
    ("alert", "series", "minute"),
    [
        ("GpuError", {f'DCGM_FI_DEV_XID_ERRORS{{gpu="3", {ON}}}': "0x10 79x50"}, 12),
        ("GpuMemoryWornOut", {f'DCGM_FI_DEV_ROW_REMAP_FAILURE{{gpu="3", {ON}}}': "1x20"}, 5),
        (
            "InfiniBandPortDown",
            {'node_infiniband_state_id{device="mlx5_3", port="1", instance="node-a"}': "4x5 1x20"},
            10,
        ),
        ("CommunicationHeavy", {f"gpucluster_step_communication_ratio{{{ON}}}": "0.31x100"}, 70),
    ],
)
def test_each_other_alert_fires_on_what_it_names(
    tool: Path, tmp_path: Path, alert: str, series: dict[str, str], minute: int
) -> None:
    assert len(fires(tool, tmp_path, series, alert, minute)) == 1


def test_planned_maintenance_is_told_until_it_begins(tool: Path, tmp_path: Path) -> None:
    series, watched = {'gpucluster_node_maintenance{node="node-a"}': "7200x200"}, replace(WATCHED, maintenance=True)
    assert fires(tool, tmp_path, series, "NodeMaintenance", 60, watched) == [
        "The host of GPU node node-a has planned maintenance in 1h 0m 0s, which ends the job there"
    ]
    assert fires(tool, tmp_path, series, "NodeMaintenance", 121, watched) == []


def test_every_alert_carries_the_labels_of_the_stack() -> None:
    found = [rule["labels"] for rule in rules(WATCHED) if "alert" in rule]

    assert len(found) == 21
    assert {(labels["team"], labels["cost_center"]) for labels in found} == {("research", "cc-1")}


def test_each_managed_prometheus_gets_the_same_rules() -> None:
    groups = rule_file(WATCHED)["groups"]

    assert prometheus_operator_rule(WATCHED, "training")["spec"]["groups"] == groups
    assert gke_rules(WATCHED)["spec"]["groups"] == groups
    azure = azure_rule_groups(WATCHED)
    assert list(azure) == ["", "-queue"]
    expressions = [rule["expression"] for group in azure.values() for rule in group["rules"]]
    assert expressions == [rule["expr"] for rule in rules(WATCHED)]
    first = azure[""]
    assert (first["interval"], first["rules"][4]["for"], first["rules"][4]["severity"]) == ("PT1M", "PT30M", 2)


def test_azure_gets_as_many_labels_as_it_takes_and_those_of_every_spec_first() -> None:
    always = {"team": "a", "project": "b", "cost-center": "c", "environment": "d", "owner": "e"}
    many = {f"extra-{index}": "x" for index in range(9)}
    labelled = replace(OVER_A_FABRIC, labels={**many, **always, "stack": "trial"}, maintenance=True)
    groups = azure_rule_groups(labelled).values()

    kept = {tuple(rule["labels"]) for group in groups for rule in group["rules"] if "alert" in rule}
    assert kept == {
        ("team", "project", "cost_center", "environment", "owner", "stack", *(f"extra_{index}" for index in range(4)))
    }
    assert [len(group["rules"]) for group in groups] == [19, 8]


def test_an_alert_that_waits_for_nothing_says_no_duration() -> None:
    """PT0M is none of Azure's durations."""
    waits = {rule["alert"]: rule.get("for") for rule in azure_rule_groups(WATCHED)[""]["rules"] if "alert" in rule}

    assert waits["GpuError"] is None
    assert waits["InfiniBandPortDown"] == "PT2M"


def test_the_azure_group_has_the_fields_of_the_provider() -> None:
    from pulumi_azure_native.alertsmanagement import PrometheusRuleArgs

    known = {"record", "expression", "alert", "for", "severity", "labels", "annotations", "enabled"}

    fields = {field.removesuffix("_") for field in vars(PrometheusRuleArgs) if not field.startswith("_")}
    assert known <= fields
    assert {key for rule in azure_rule_groups(WATCHED)[""]["rules"] for key in rule} == known


def test_every_counter_that_is_read_is_collected() -> None:
    read = json.dumps([rule_file(WATCHED), dashboards(WATCHED)])

    collected = {line.partition(", ")[0] for line in counters_csv().splitlines()}
    assert collected - set(re.findall(r"DCGM_FI_\w+", read)) == {
        "DCGM_FI_PROF_NVLINK_RX_BYTES",
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
    }
    assert set(re.findall(r"DCGM_FI_\w+", read)) <= collected


def test_dashboards_are_valid_promql(tool: Path, tmp_path: Path) -> None:
    expressions = [
        panel["targets"][0]["expr"] for dashboard in dashboards(WATCHED).values() for panel in dashboard["panels"]
    ]
    rules = [{"record": f"panel:{index}:any", "expr": text} for index, text in enumerate(expressions)]
    (tmp_path / "panels.yaml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))

    said = check(tool, "check", "rules", "panels.yaml", cwd=tmp_path)

    assert (said.returncode, len(expressions)) == (0, 30), said.stdout + said.stderr


def test_there_is_no_dashboard_of_dollars_without_a_price() -> None:
    assert sorted(dashboards(UNPRICED)) == [
        "gpucluster-fabric",
        "gpucluster-health",
        "gpucluster-queue",
        "gpucluster-use",
    ]
