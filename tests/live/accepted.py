"""A whole acceptance on a live cluster. No GPU is there: the logs are made of recorded figures."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from gpucluster.components.shared.machine_choice import shape_named
from gpucluster.operate.acceptance.inventory import inventory_of
from gpucluster.operate.acceptance.runs.collect import Kubectl
from gpucluster.operate.acceptance.runs.session import Judged, accept, seen
from gpucluster.operate.acceptance.verdicts.commitments import Promises
from gpucluster.operate.acceptance.verdicts.fabric import line_rate
from gpucluster.operate.jobs.end import end_pods, jobs_in
from gpucluster.sandbox.api_server.client import ObjectRefused
from gpucluster.sandbox.live import node_events
from tests.live.harness import Live

# Of an H100 80GB HBM3: tests/gpucluster/operate/acceptance/logs/h100.
_DRIVER, _SERIAL = "580.159.04", "1653723046420"
PASSED = [
    ("GPU diagnosis", "pass"),
    ("all-gather, 4 nodes", "pass"),
    ("all-reduce, 2 nodes", "pass"),
    ("all-reduce, 4 nodes", "pass"),
    ("all-to-all, 4 nodes", "pass"),
    ("network domain", "pass"),
    ("one zone", "pass"),
    ("software of the nodes", "pass"),
    ("storage read, 5 nodes", "measured"),
]
_OF_ALL = {"all_reduce_perf": 0.92, "all_gather_perf": 0.91, "alltoall_perf": 0.14}


def _pods(live: Live, step: str) -> list[dict[str, Any]]:
    return [
        dict(pod)
        for pod in live.client.list("v1", "Pod", namespace="training")
        if pod["metadata"]["name"].startswith(f"{step}-") and pod["spec"].get("nodeName")
    ]


def _collective(hosts: list[str], command: str, rate: float) -> str:
    program = next(name for name in _OF_ALL if name in command)
    speed = f"{rate * _OF_ALL[program]:.2f}"
    ranks = [
        f"#  Rank {8 * host + gpu:2} Group  0 Pid    200 on {name} device  {gpu} [0000:53:00] NVIDIA H100 80GB HBM3"
        for host, name in enumerate(hosts)
        for gpu in range(8)
    ]
    redop = "sum" if program == "all_reduce_perf" else "none"
    row = f" 17179869184 4294967296 float {redop} -1 89476.3 192.00 {speed} 0 89476.3 192.00 {speed} 0"
    return "\n".join(
        [
            "# nccl-tests version 2.19.6 nccl-headers=22809 nccl-library=22809",
            f"# Collective test starting: {program}",
            "# nThread 1 nGpus 1 minBytes 4294967296 maxBytes 17179869184 step: 2(factor) warmup iters: 5 iters: 20",
            *ranks,
            row,
            f"# Avg bus bandwidth    : {speed}",
            "",
        ]
    )


def _diagnosis(pods: list[str]) -> str:
    results = [{"entity_group": "GPU", "entity_id": gpu, "status": "Pass"} for gpu in range(8)]
    test = {"name": "memory", "results": results, "test_summary": {"status": "Pass"}}
    document = {
        "DCGM Diagnostic": {"test_categories": [{"category": "Hardware", "tests": [test]}]},
        "entity_groups": [{"entity_group": "GPU", "entities": [{"entity_id": 0, "serial_num": _SERIAL}]}],
        "metadata": {"version": "4.6.1", "Driver Version Detected": _DRIVER},
    }
    return "".join(f"[pod/{pod}/dcgm] {json.dumps(document)}\n" for pod in pods)


@contextmanager
def _ended(live: Live, logs: dict[str, str], rate: float) -> Generator[None]:
    """What ends in time: a launcher by itself, all pods of a Job. logs: filled with what each step's pods then say."""
    through = threading.Event()

    def look() -> None:
        for job in jobs_in(live.client):
            launched = [pod.name for pod in job.pods if "-launcher-" in pod.name]
            due = launched if job.kind == "TrainJob" else [pod.name for pod in job.pods]
            # Where the end of one was refused, those before it have ended.
            phases = {pod.phase for pod in job.pods} - {"Succeeded"}
            if not due or phases != {"Running"}:
                continue
            pods = _pods(live, job.name)
            if job.kind == "TrainJob":
                trainjob = live.client.get(
                    {
                        "apiVersion": "trainer.kubeflow.org/v1alpha1",
                        "kind": "TrainJob",
                        "metadata": {"name": job.name, "namespace": "training"},
                    }
                )
                if trainjob is None:  # deleted since the jobs were listed
                    continue
                spec = trainjob["spec"]["trainer"]
                hosts = [str(pod["spec"].get("hostname") or pod["metadata"]["name"]) for pod in pods]
                if len(hosts) != spec["numNodes"]:
                    continue
                logs[job.name] = _collective(sorted(hosts), " ".join(spec["command"]), rate)
            elif "diagnosis" in job.name:
                logs[job.name] = _diagnosis([pod["metadata"]["name"] for pod in pods])
            else:
                logs[job.name] = (
                    '{"phase_type": "READ", "config": {"hosts": "5", "file_size": "8589934592"}, '
                    '"last_done": {"bytes/s": "3300000000"}}\n'
                )
            end_pods(live.client, job, 0, due)

    def run() -> None:
        while not through.wait(0.5):
            with suppress(ObjectRefused):  # A pod that a controller has changed meanwhile: the next look ends it.
                look()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        through.set()
        thread.join()


def _accept(live: Live, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Judged:
    logs: dict[str, str] = {}
    machine = shape_named(live.nodes()[0]["metadata"]["labels"]["node.kubernetes.io/instance-type"])
    assert machine is not None
    monkeypatch.setenv("PATH", str(live.cluster.kubectl.parent))
    monkeypatch.setenv("KUBECONFIG", str(live.cluster.kubeconfig))
    monkeypatch.setattr("gpucluster.operate.acceptance.runs.collect._POLL_SECONDS", 0.5)
    monkeypatch.setattr(Kubectl, "logs", lambda _, selector: logs[selector.split(",")[0].partition("=")[2]])
    with _ended(live, logs, line_rate(machine)):
        try:
            return accept(seen(None, force=False), folder, Promises(), level=1, pairs="never", say=print)
        except BaseException:  # A timeout too: pytest shows what is printed.
            print(live.scene())
            raise


def test_acceptance_runs_to_its_end_and_tells_versions_and_serial_numbers(
    live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five nodes are free. Diagnosis, rings of 2 and 4, one with the spare, all-gather, all-to-all and storage run; no
    GPU is there, so that what their pods print is composed of recorded figures.
    """
    verdicts, read, _ = _accept(live, tmp_path, monkeypatch)
    assert sorted({(verdict.check, verdict.outcome) for verdict in verdicts}) == PASSED
    inventory = inventory_of(read)
    assert [node.name for node in inventory.nodes] == [node["metadata"]["name"] for node in live.nodes()]
    assert {(node.software["driver"], node.serials[0]) for node in inventory.nodes} == {(_DRIVER, _SERIAL)}
    assert "NCCL 2.28.9" in inventory.tools


def test_acceptance_looks_at_the_gpus_of_a_cordoned_node_and_says_that_no_ring_had_it(
    live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of five nodes is cordoned. Diagnosis and storage run there too, rings on the others, as the report says."""
    cordoned = live.nodes()[0]["metadata"]["name"]
    node_events.cordon(live.client, live.node(cordoned))
    verdicts, read, _ = _accept(live, tmp_path, monkeypatch)
    assert sorted({(it.check, it.outcome) for it in verdicts}) == sorted([*PASSED, ("all-reduce", "cannot tell")])
    assert cordoned in [node.name for node in inventory_of(read).nodes]
    [untold] = [verdict for verdict in verdicts if verdict.check == "all-reduce"]
    assert untold.why == (
        f"{cordoned} in no ring: the queue does not schedule on cordoned nodes; uncordon, and measure again with "
        "another --results"
    )
