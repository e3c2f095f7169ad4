"""What happens to a broken node, by nodes as the API server tells them."""

from __future__ import annotations

import dataclasses
import http.server
import threading
import urllib.request
from typing import Any, Final

import pytest

from gpucluster.components.kubernetes.node_health.controller import (
    Memory,
    Metrics,
    Settings,
    Step,
    fault,
    metrics,
    steps,
)

BOOT: Final = "11111111-2222-3333-4444-555555555555"
LATER: Final = "99999999-2222-3333-4444-555555555555"
TAINT: Final = "gpucluster/broken"
SETTINGS: Final = Settings(
    mode="drain",
    taint=TAINT,
    nodes="nvidia.com/gpu.present=true",
    pool="gpucluster/pool",
    broken_seconds=30,
    well_seconds=120,
    gone_seconds=900,
    one_in=5,
    devices={"": {"nvidia.com/gpu": 0}, "training": {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}},
    conditions=[{"type": "AcceleratedHardwareReady", "status": "False", "but": ["NvidiaXID31Error", "DCGM"]}],
    labels={},
)


def node(
    name: str = "a",
    *,
    reason: str | None = None,
    gpus: tuple[int, int] = (8, 8),
    taint: str | None = None,
    boot: str = BOOT,
    ready: str = "True",
) -> dict[str, Any]:
    """gpus: those that work, and those that there are. taint: its value."""
    told = [] if reason is None else [{"type": "AcceleratedHardwareReady", "status": "False", "reason": reason}]
    works, has = ({"nvidia.com/gpu": str(count), "vpc.amazonaws.com/efa": "32"} for count in gpus)
    return {
        "metadata": {"name": name, "uid": f"uid-{name}", "labels": {"gpucluster/pool": "training"}},
        "spec": {} if taint is None else {"taints": [{"key": TAINT, "value": taint, "effect": "NoExecute"}]},
        "status": {
            "conditions": [{"type": "Ready", "status": ready}, *told],
            "nodeInfo": {"bootID": boot},
            "allocatable": works,
            "capacity": has,
        },
    }


def done(
    nodes: list[dict[str, Any]], memory: Memory, now: float, settings: Settings = SETTINGS
) -> list[tuple[str, ...]]:
    return [_told(step) for step in steps(nodes, memory, settings, now)]


def _told(step: Step) -> tuple[str, ...]:
    return step.node["metadata"]["name"], step.does, step.why


def test_a_fault_is_a_condition_or_devices_that_do_not_work() -> None:
    assert fault(node(), SETTINGS) == ""
    assert fault(node(reason="NvidiaXID79Error"), SETTINGS) == "AcceleratedHardwareReady is False (NvidiaXID79Error)"
    assert fault(node(gpus=(7, 8)), SETTINGS) == "only 7 of 8 nvidia.com/gpu are allocatable"
    assert fault(node(gpus=(7, 7)), SETTINGS) == "only 7 of 8 nvidia.com/gpu are allocatable"


def test_a_mistake_of_a_program_and_a_plugin_that_is_away_are_no_faults() -> None:
    assert fault(node(reason="NvidiaXID31Error"), SETTINGS) == ""
    assert fault(node(reason="DCGMError"), SETTINGS) == ""
    assert fault(node(gpus=(0, 8)), SETTINGS) == ""


def test_a_node_is_tainted_once_it_has_been_broken_for_a_while() -> None:
    memory, broken = Memory(), [node(reason="NvidiaXID79Error")]

    assert done(broken, memory, 0) == []
    assert done([node()], memory, 20) == []
    assert done(broken, memory, 25) == []
    assert done(broken, memory, 54) == []
    assert done(broken, memory, 55) == [("a", "Broken", "AcceleratedHardwareReady is False (NvidiaXID79Error)")]


def test_a_label_that_a_working_node_lacks_is_reported_after_15_minutes_and_ends_no_job() -> None:
    settings = dataclasses.replace(SETTINGS, labels={"training": {"gpucluster/peermem": "no peermem"}})
    memory, labelled = Memory(), node()
    labelled["metadata"]["labels"]["gpucluster/peermem"] = "true"

    assert done([node(gpus=(0, 0))], memory, 0, settings) == []
    assert done([node()], memory, 899, settings) == []
    assert done([node()], memory, 900, settings) == [("a", "Reported", "no peermem for 15 minutes")]
    assert done([node()], memory, 910, settings) == []
    assert metrics([node()], memory, settings).endswith('{node="a",state="reported"} 1\n')
    assert done([labelled], memory, 920, settings) == []
    assert metrics([labelled], memory, settings).endswith("gauge\n")
    assert done([node(taint=BOOT, boot=LATER)], memory, 2000, settings) == []
    assert done([node(taint=BOOT, boot=LATER)], memory, 2120, settings) == [
        ("a", "Well", "rebooted, and no fault is left")
    ]


ALL_GONE: Final = "no nvidia.com/gpu has been allocatable for 15 minutes"


@pytest.mark.parametrize("gpus", [(0, 8), (0, 0)], ids=["all unhealthy", "forgotten by the kubelet"])
def test_a_node_that_had_devices_and_has_lost_all_of_them_is_broken_after_15_minutes(gpus: tuple[int, int]) -> None:
    memory = Memory()

    assert done([node()], memory, 0) == []
    assert done([node(gpus=gpus)], memory, 10) == []
    assert done([node(gpus=gpus)], memory, 899) == []
    assert done([node(gpus=gpus)], memory, 900) == []
    assert done([node(gpus=gpus)], memory, 930) == [("a", "Broken", ALL_GONE)]
    assert done([node(gpus=gpus, taint=BOOT, boot=LATER)], memory, 2000) == []
    assert done([node(taint=BOOT, boot=LATER)], memory, 2100) == []
    assert done([node(taint=BOOT, boot=LATER)], memory, 2220) == [("a", "Well", "rebooted, and no fault is left")]


def test_cards_of_the_fabric_count_like_gpus() -> None:
    memory, lost = Memory(), node()
    lost["status"]["allocatable"]["vpc.amazonaws.com/efa"] = "0"
    done([lost], memory, 0)
    done([lost], memory, 900)

    why = "no vpc.amazonaws.com/efa has been allocatable for 15 minutes"
    assert done([lost], memory, 930) == [("a", "Broken", why)]


def test_a_plugin_that_comes_back_in_time_is_no_fault() -> None:
    memory = Memory()

    assert [
        step for now in range(0, 7200, 10) for step in done([node(gpus=(8 * (now % 890 < 10), 8))], memory, now)
    ] == []


def test_a_node_that_never_had_devices_is_starting() -> None:
    memory, starting = Memory(), node(gpus=(0, 0))
    starting["status"]["allocatable"] = starting["status"]["capacity"] = {}

    assert [step for now in range(0, 90000, 10) for step in done([starting], memory, now)] == []


def test_a_gpu_that_became_slices_is_not_lost() -> None:
    memory, sliced = Memory(), node(gpus=(0, 0))
    sliced["metadata"]["labels"] = {"gpucluster/pool": "mig"}
    sliced["status"]["allocatable"]["nvidia.com/mig-1g.10gb"] = "56"
    whole = {**sliced, "status": node()["status"]}

    assert done([whole], memory, 0) == []
    assert [step for now in range(10, 7200, 10) for step in done([sliced], memory, now)] == []


def test_one_node_in_five_is_tainted_and_the_others_are_told_of_once() -> None:
    memory, broken = Memory(), [node(name, gpus=(7, 8)) for name in "abc"]
    nodes = [*broken, *(node(str(number)) for number in range(8))]
    done(nodes, memory, 0)

    why = "only 7 of 8 nvidia.com/gpu are allocatable"
    assert done(nodes, memory, 30) == [("a", "Broken", why), ("b", "Broken", why), ("c", "LeftAlone", why)]
    tainted = [node(name, gpus=(7, 8), taint=BOOT) for name in "ab"]
    assert done([*tainted, *nodes[2:]], memory, 40) == []
    well = [node("a"), *tainted[1:], *nodes[2:]]
    assert done(well, memory, 50) == [("c", "Broken", why)]


def test_a_small_pool_may_have_one_broken_node() -> None:
    memory, nodes = Memory(), [node("a", gpus=(7, 8)), node("b")]
    done(nodes, memory, 0)

    assert [does for _, does, _ in done(nodes, memory, 30)] == ["Broken"]


def test_a_taint_goes_when_the_node_has_booted_again_and_is_well() -> None:
    memory = Memory()

    assert done([node(taint=BOOT)], memory, 0) == []
    assert done([node(taint=BOOT, boot=LATER, ready="False")], memory, 200) == []
    assert done([node(taint=BOOT, boot=LATER)], memory, 300) == []
    assert done([node(taint=BOOT, boot=LATER, gpus=(7, 8))], memory, 400) == []
    assert done([node(taint=BOOT, boot=LATER)], memory, 500) == []
    assert done([node(taint=BOOT, boot=LATER)], memory, 620) == [("a", "Well", "rebooted, and no fault is left")]


def test_a_taint_stays_on_a_node_that_booted_again_without_devices() -> None:
    memory, bare = Memory(), node(taint=BOOT, boot=LATER, gpus=(0, 0))

    assert [step for now in range(0, 600, 10) for step in done([bare], memory, now)] == []
    assert done([node(taint=BOOT, boot=LATER)], memory, 600) == []
    assert done([node(taint=BOOT, boot=LATER)], memory, 720) == [("a", "Well", "rebooted, and no fault is left")]


def test_a_taint_that_a_person_has_set_stays() -> None:
    memory = Memory()
    done([node(taint="slow-card")], memory, 0)

    assert done([node(taint="slow-card")], memory, 1000) == []


def test_a_cluster_that_reports_taints_nothing() -> None:
    memory, nodes = Memory(), [node(gpus=(7, 8))]
    report = dataclasses.replace(SETTINGS, mode="report")
    done(nodes, memory, 0, report)

    assert done(nodes, memory, 30, report) == [("a", "Reported", "only 7 of 8 nvidia.com/gpu are allocatable")]
    assert done(nodes, memory, 40, report) == []


def test_prometheus_is_told_of_every_node_that_is_not_well() -> None:
    nodes = [node("ok"), node("drained", taint=BOOT), node("silent", ready="Unknown"), node("left", gpus=(7, 8))]
    memory = Memory(told={"uid-left": "LeftAloneonly 7 of 8 nvidia.com/gpu are allocatable", "uid-drained": "Broken"})

    assert metrics(nodes, memory, SETTINGS) == (
        "# TYPE gpucluster_node_broken gauge\n"
        'gpucluster_node_broken{node="drained",state="drained"} 1\n'
        'gpucluster_node_broken{node="silent",state="silent"} 1\n'
        'gpucluster_node_broken{node="left",state="left_alone"} 1\n'
    )
    assert 'state="reported"' in metrics([nodes[3]], Memory(told={"uid-left": "Reported"}), SETTINGS)


def test_prometheus_is_told_of_the_time_of_planned_maintenance() -> None:
    nodes = [node("now"), node("never"), node("unknown")]
    nodes[0]["metadata"]["labels"] = {"planned": "1798761600"}
    nodes[2]["metadata"]["labels"] = {"planned": "soon"}
    known = dataclasses.replace(SETTINGS, maintenance="planned")
    assert metrics(nodes, Memory(), known) == (
        "# TYPE gpucluster_node_broken gauge\n"
        "# TYPE gpucluster_node_maintenance gauge\n"
        'gpucluster_node_maintenance{node="now"} 1798761600\n'
    )


def test_metrics_of_the_controller_are_read_over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Metrics, "text", "gpucluster_node_broken 1\n")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Metrics) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/metrics") as answer:
            assert answer.read() == b"gpucluster_node_broken 1\n"
        server.shutdown()


def test_a_node_that_breaks_again_in_its_next_boot_is_tainted_again() -> None:
    memory = Memory()
    done([node(gpus=(7, 8))], memory, 0)
    assert [does for _, does, _ in done([node(gpus=(7, 8))], memory, 30)] == ["Broken"]
    assert done([node(gpus=(7, 8))], memory, 60) == [], "a person took the taint away"
    assert [does for _, does, _ in done([node(gpus=(7, 8), boot=LATER)], memory, 90)] == ["Broken"]
