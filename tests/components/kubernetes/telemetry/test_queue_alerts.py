"""The alerts and the dashboard of the queue, run by promtool on series as Kueue, JobSet, Trainer and Karpenter write
them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from gpucluster.components.kubernetes.telemetry.alerts import dashboards, rule_file
from gpucluster.components.kubernetes.telemetry.plan import JOBS, KARPENTER, QUEUEING
from tests.components.kubernetes.telemetry.promtool_run import WATCHED, fires, returns
from tests.components.kubernetes.telemetry.test_plan import kept

WAIT = "kueue_admission_wait_time_seconds"
OF = 'cluster_queue="training", instance="10.0.1.7:8443", job="kueue", replica_role="leader"'


def waits(priority: str, all_: str) -> dict[str, str]:
    """Of one priority: how many jobs have started, and their waits."""
    labels = f'{OF}, priority_class="{priority}"'
    return {f"{WAIT}_count{{{labels}}}": all_, f"{WAIT}_sum{{{labels}}}": "0+60x600"}


def waiting(priority: str, since: str, *names: str) -> dict[str, str]:
    """Jobs without a place since a second, with the labels that kube-state-metrics 2.20.0 wrote of Workloads of Kueue
    0.19.2; `namespace` is the collector's.
    """
    labels = (
        'customresource_group="kueue.x-k8s.io", customresource_kind="Workload", customresource_version="v1beta2", '
        'condition="QuotaReserved", status="False", active="true", job_namespace="team-vision", queue="training", '
        f'namespace="monitoring", priority_class="{priority}"'
    )
    return {f'gpucluster_job_waiting_since_seconds{{{labels}, workload="{name}"}}': since for name in names}


def waiting_for_a_worker(priority: str, since: str, *names: str) -> dict[str, str]:
    """Jobs of a fleet in their manager: the fleet's admission check, as it is of a Workload without a worker."""
    of_condition = waiting(priority, since, *names)
    return {
        name.replace("gpucluster_job", "gpucluster_fleet_job").replace("QuotaReserved", "fleet").replace(
            'status="False"', 'status="Pending"'
        ).replace('queue="training"', 'queue="fleet"'): values
        for name, values in of_condition.items()
    }  # fmt: skip


def collected(series: dict[str, str]) -> dict[str, str]:
    """Those that are kept of what kube-state-metrics writes."""
    return {
        name: values
        for name, values in series.items()
        if kept(JOBS, name.partition("{")[0], dict(re.findall(r'(\w+)="([^"]*)"', name)))
    }


def evicted(reason: str, cause: str, values: str) -> dict[str, str]:
    labels = f'{OF}, priority_class="high", reason="{reason}", underlying_cause="{cause}"'
    return {f"kueue_evicted_workloads_total{{{labels}}}": values}


def pending(values: str) -> dict[str, str]:
    return {f'kueue_pending_workloads{{{OF}, status="{status}"}}': values for status in ("active", "inadmissible")}


def software(trainer: str = "0x600", jobset: str = "0x600") -> dict[str, str]:
    controllers = {"trainjob_controller": trainer, "jobset": jobset}
    return {
        f'controller_runtime_reconcile_errors_total{{controller="{name}"}}': values
        for name, values in controllers.items()
    }


BOUGHT = 'nodepool="dev", capacity_type="spot", reason="insufficient_capacity"'
FAILED = 'jobset_failed_total{jobset_name="llama", namespace="training"}'
RENAMED = 'jobset_failed_total{jobset_name="llama", exported_namespace="training", namespace="jobset-system"}'

NONE = "_x29 "


@pytest.mark.parametrize(
    ("alert", "series", "minute", "summary"),
    [
        (
            "QueueDown",
            {**pending("3x20 stale _x60"), **software()},
            40,
            "Kueue has reported nothing for 10 minutes: no job starts while it is down",
        ),
        (
            "QueueDown",
            {**pending("3x60"), **software(trainer="0x20 stale _x60")},
            40,
            "Trainer has reported nothing for 10 minutes: no job starts while it is down",
        ),
        (
            "QueueDown",
            {**pending("3x60"), **software(jobset="0x20 stale _x60")},
            40,
            "JobSet has reported nothing for 10 minutes: no job starts while it is down",
        ),
        (
            "QueueInactive",
            {f'kueue_cluster_queue_status{{{OF}, status="active"}}': "1x10 0x30"},
            22,
            "Queue training admits no job",
        ),
        (
            "JobWaitedTooLong",
            {**waiting("high", "0x800", "a", "b"), **waiting("high", "3600x800", "c"), **waiting("low", "0x800", "d")},
            171,
            "2 jobs of priority high have waited in queue training of namespace team-vision longer than their priority "
            "allows",
        ),
        (
            "JobWaitedTooLong",
            waiting("medium", "0x800", "a"),
            681,
            "1 jobs of priority medium have waited in queue training of namespace team-vision longer than their "
            "priority allows",
        ),
        (
            "JobsWaitAndNoneStarts",
            {**pending("2x500"), **waits("high", "1x500")},
            400,
            "4 jobs or more have waited in queue training for 6 hours, and none has started",
        ),
        (
            "JobStoppedForGood",
            evicted("Deactivated", "RequeuingLimitExceeded", f"{NONE}1x30"),
            32,
            "1 jobs of queue training are stopped for good (RequeuingLimitExceeded): they do not start again by "
            "themselves",
        ),
        ("TrainJobFailed", {FAILED: f"{NONE}1x30"}, 32, "llama in namespace training has failed"),
        ("TrainJobFailed", {RENAMED: "1x29 2x30"}, 32, "llama in namespace training has failed"),
        (
            "PoolCannotBuy",
            {f"karpenter_nodeclaims_disrupted_total{{{BOUGHT}}}": "0+1x60"},
            40,
            "Pool dev cannot buy machines: the cloud has had none for half an hour",
        ),
        (
            "JobsGetNoMachines",
            evicted("PodsReadyTimeout", "WaitForStart", f"{NONE}1x30"),
            32,
            "1 jobs of queue training were admitted, and their pods did not run within half an hour: they wait again",
        ),
    ],
)
def test_each_alert_fires_on_what_it_names(
    tool: Path, tmp_path: Path, alert: str, series: dict[str, str], minute: int, summary: str
) -> None:
    assert fires(tool, tmp_path, series, alert, minute) == [summary]


@pytest.mark.parametrize(
    ("alert", "series", "minute"),
    [
        ("QueueDown", {**pending("0x60"), **software()}, 40),
        ("QueueDown", {"up": "1x60"}, 40),
        ("QueueDown", {**pending("3x20 stale _x5 3x60"), **software()}, 40),
        ("QueueInactive", {f'kueue_cluster_queue_status{{{OF}, status="active"}}': "1x10 0x5 1x30"}, 22),
        ("JobWaitedTooLong", waiting("high", "0x160 stale", "starts"), 200),
        ("JobWaitedTooLong", waiting("high", "0x100 6060x300", "preempted"), 260),
        ("JobWaitedTooLong", waiting("high", "0x800", "a"), 169),
        ("JobWaitedTooLong", waiting("medium", "0x800", "a"), 679),
        ("JobWaitedTooLong", waiting("low", "0x800", "a"), 700),
        ("JobsWaitAndNoneStarts", {**pending("2x500"), **waits("high", "1x200 2x300")}, 400),
        ("JobsWaitAndNoneStarts", {**pending("2x500"), **waits("high", "_x200 1x300")}, 400),
        ("JobsWaitAndNoneStarts", pending("2x200 0x10 2x290"), 400),
        ("JobsWaitAndNoneStarts", pending("2x300"), 200),
        ("JobStoppedForGood", evicted("Deactivated", "", f"{NONE}1x30"), 32),
        ("JobStoppedForGood", evicted("Preempted", "", f"{NONE}1x30"), 32),
        ("JobStoppedForGood", evicted("Deactivated", "RequeuingLimitExceeded", "1x60"), 55),
        ("TrainJobFailed", {FAILED: "1x20 stale _x3 1x30"}, 55),
        ("PoolCannotBuy", {f"karpenter_nodeclaims_disrupted_total{{{BOUGHT}}}": "0+1x5 5x60"}, 40),
        ("JobsGetNoMachines", evicted("PodsReadyTimeout", "WaitForRecovery", f"{NONE}1x30"), 32),
        ("JobsGetNoMachines", evicted("Preempted", "", f"{NONE}1x30"), 32),
    ],
)
def test_no_alert_fires_on_what_is_well(
    tool: Path, tmp_path: Path, alert: str, series: dict[str, str], minute: int
) -> None:
    assert fires(tool, tmp_path, series, alert, minute) == []


def test_a_job_of_a_fleet_that_waits_for_a_worker_is_told_once_by_its_manager(tool: Path, tmp_path: Path) -> None:
    """From the moment it has the manager's quota, each worker that is tried has a copy that waits, too."""
    without_quota = {
        name.replace('queue="training"', 'queue="fleet"'): values
        for name, values in waiting("high", "0x200", "a").items()
    }
    with_quota = {name.replace('status="False"', 'status="True"'): "0x500" for name in without_quota}
    manager = {**without_quota, **with_quota, **waiting_for_a_worker("high", "0x500", "a")}
    copy = {name.replace("{", '{origin="multikueue", '): "0x500" for name in without_quota}

    told = [
        (at, minute, fires(tool, tmp_path, collected(series), "JobWaitedTooLong", minute))
        for at, series in (("manager", manager), ("worker", copy))
        for minute in (169, 171, 400)
    ]
    summary = (
        "1 jobs of priority high have waited in queue fleet of namespace team-vision longer than their priority allows"
    )
    assert [(at, minute, *found) for at, minute, found in told] == [
        ("manager", 169), ("manager", 171, summary), ("manager", 400, summary),
        ("worker", 169), ("worker", 171), ("worker", 400),
    ]  # fmt: skip


def test_a_job_of_a_fleet_that_has_a_worker_waits_no_more(tool: Path, tmp_path: Path) -> None:
    ready = {name.replace("Pending", "Ready"): "6000x500" for name in waiting_for_a_worker("high", "0x1", "a")}
    series = collected({**waiting_for_a_worker("high", "0x100 stale", "a"), **ready})

    assert fires(tool, tmp_path, series, "JobWaitedTooLong", 400) == []


def test_an_event_is_told_for_a_quarter_of_an_hour(tool: Path, tmp_path: Path) -> None:
    series = evicted("Deactivated", "RequeuingLimitExceeded", f"{NONE}1x120")

    found = [len(fires(tool, tmp_path, series, "JobStoppedForGood", minute)) for minute in (28, 31, 43, 48, 100)]

    assert found == [0, 1, 1, 0, 0]


def test_a_counter_that_starts_again_with_its_program_is_told_of_new_events_alone(tool: Path, tmp_path: Path) -> None:
    """A new pod has a new instance, and its counter has no past."""
    old = evicted("Deactivated", "RequeuingLimitExceeded", "4x30 stale _x90")
    new = {key.replace("10.0.1.7", "10.0.1.9"): "_x60 1x60" for key in old}

    assert fires(tool, tmp_path, {**old, **new}, "JobStoppedForGood", 50) == []
    assert len(fires(tool, tmp_path, {**old, **new}, "JobStoppedForGood", 63)) == 1


def test_where_nothing_is_collected_silence_is_not_told() -> None:
    names = [
        [rule.get("alert") for group in rule_file(watched)["groups"] for rule in group["rules"]]
        for watched in (WATCHED, replace(WATCHED, collected=False))
    ]

    assert [name for name in names[0] if name not in names[1]] == ["QueueDown"]


RECORDED = {
    **waiting("high", "0x600", "a"),
    **waiting_for_a_worker("high", "0x600", "a"),
    **pending("2x600"),
    **waits("high", "0+2x600"),
    **evicted("Preempted", "", "0+1x600"),
    **software(trainer="0+1x600"),
    FAILED: "1x600",
    f"karpenter_nodeclaims_disrupted_total{{{BOUGHT}}}": "0+1x600",
    f'kueue_cluster_queue_status{{{OF}, status="active"}}': "1x600",
    **{
        f'kueue_cluster_queue_{kind}{{{OF}, cohort="", flavor="training", resource="nvidia.com/gpu"}}': "32x600"
        for kind in ("nominal_quota", "resource_usage")
    },
    'DCGM_FI_DEV_GPU_UTIL{gpu="0", pod="train-0", namespace="training", Hostname="node-a"}': "2x600",
}


def panels() -> dict[str, str]:
    return {panel["title"]: panel["targets"][0]["expr"] for panel in dashboards(WATCHED)["gpucluster-queue"]["panels"]}


def test_every_panel_of_the_queue_returns_rows(tool: Path, tmp_path: Path) -> None:
    assert returns(tool, tmp_path, RECORDED, panels(), 500) == set(panels())


def test_without_series_no_panel_returns_any(tool: Path, tmp_path: Path) -> None:
    assert returns(tool, tmp_path, {"up": "1x600"}, panels(), 500) == set()


def test_what_is_read_is_collected_and_nothing_else() -> None:
    expressions = [rule["expr"] for group in rule_file(WATCHED)["groups"] for rule in group["rules"]]
    written = r"(?:kueue|jobset_failed|karpenter|controller_runtime|gpucluster_job)_[a-z_]+"
    read = set(re.findall(written, " ".join([*expressions, *panels().values()])))
    kept = [target.keep["__name__"] for target in (*QUEUEING, JOBS, KARPENTER)]

    assert {name for name in read if any(re.fullmatch(text, name) for text in kept)} == read
    assert read == {
        *(f"{WAIT}_{part}" for part in ("count", "sum")),
        *(f"kueue_cluster_queue_{part}" for part in ("nominal_quota", "resource_usage", "status")),
        *("kueue_evicted_workloads_total", "kueue_pending_workloads"),
        *("controller_runtime_reconcile_errors_total", "gpucluster_job_waiting_since_seconds"),
        *("jobset_failed_total", "karpenter_nodeclaims_disrupted_total"),
    }
