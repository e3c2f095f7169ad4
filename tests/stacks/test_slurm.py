"""Slurm on a stack: with a real API server a failed start and its recovery, other nodes, the way back to Kueue, and a
second stack beside it; on a live cluster what Slinky's own operator makes of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.live.conftest import need_programs
from tests.processes import running_for
from tests.waiting import wait_for

pytestmark = [pytest.mark.engine, pytest.mark.slow]

WHY = "no endpoints available for service"
BOTH = "jobs: {scheduler: both, slurm_pools: [training]}\n"


def _scheduler(project: Any, jobs: str) -> None:
    """Sets the last line of the spec."""
    spec = project.path / "stacks/specs/trial.yaml"
    kept = [line for line in spec.read_text().splitlines(keepends=True) if not line.startswith("jobs:")]
    spec.write_text("".join(kept) + jobs)


def _node_sets(project: Any, stack: str) -> dict[str, int]:
    """Node set -> its nodes."""
    done = project.kubectl("get", "nodesets", "--namespace", "slurm", "--output", "json", stack=stack)
    assert done.code == 0, done.text
    return {item["metadata"]["name"]: item["spec"]["replicas"] for item in json.loads(done.out)["items"]}


def _records(project: Any) -> set[str]:
    """slurmdbd and all that its database consists of."""
    kinds = "accountings,networkpolicies,persistentvolumeclaims,secrets,services,statefulsets"
    done = project.kubectl("get", kinds, "--namespace", "slurm", "--output", "name", stack="aws-trial")
    assert done.code == 0, done.text
    return {name for name in done.out.split() if name.startswith("accounting") or name.endswith("/database")}


def _up(project: Any, stack: str = "aws-trial") -> None:
    done = project.judged("up", "--yes", "--skip-preview", stack=stack)
    assert done.code == 0, done.text


def test_slurm_starts_after_a_failure_changes_and_leaves_the_pool_to_kueue(
    tmp_path: Path, copy: Callable[[Path], Any]
) -> None:
    project = copy(tmp_path)
    _scheduler(project, BOTH)
    fault = project.path / "fault.yaml"
    refused = {"type": "kubernetes:slinky.slurm.net/v1beta1:Controller", "times": 1, "fails": "refused", "error": WHY}
    fault.write_text(yaml.safe_dump({"operations": [refused]}))
    command = ["pulumi", "up", "--yes", "--skip-preview", "--stack", "aws-trial"]
    failed = project.run("sandbox", "--kubernetes", "real", "--scenario", str(fault), *command)
    assert failed.code == 1, failed.text
    assert WHY in failed.text
    assert "Traceback" not in failed.text

    _up(project)
    assert _node_sets(project, "aws-trial") == {"training": 4}
    same = project.judged("preview", "--expect-no-changes", stack="aws-trial")
    assert same.code == 0, same.text

    project.change("stacks/specs/trial.yaml", "nodes: 4", "nodes: 3")
    _up(project)
    assert _node_sets(project, "aws-trial") == {"training": 3}

    # Nodes of an elastic pool are the users' to count.
    _scheduler(project, "jobs: {scheduler: slurm, slurm_accounting: true}\n")
    _up(project)
    assert _node_sets(project, "aws-trial") == {"dev": 0, "training": 3}
    assert _records(project) == {
        "accounting.slinky.slurm.net/slurm",
        "networkpolicy.networking.k8s.io/database",
        "persistentvolumeclaim/database",
        "secret/database",
        "service/database",
        "statefulset.apps/database",
    }
    scaled = project.kubectl("scale", "nodeset", "dev", "--replicas=2", "--namespace=slurm", stack="aws-trial")
    assert scaled.code == 0, scaled.text
    _scheduler(project, "jobs: {scheduler: slurm}\n")
    _up(project)
    assert _node_sets(project, "aws-trial") == {"dev": 2, "training": 3}
    assert _records(project) == set()

    _scheduler(project, "")
    _up(project)
    gone = project.kubectl("get", "namespaces", "--output", "name", stack="aws-trial")
    assert not {"namespace/slurm", "namespace/slinky"} & {*gone.out.split()}, gone.text


def test_two_stacks_with_slurm_stand_beside_each_other_and_go(tmp_path: Path, copy: Callable[[Path], Any]) -> None:
    project = copy(tmp_path)
    _scheduler(project, BOTH)
    for stack in ("aws-trial", "gcp-trial"):
        _up(project, stack)
    assert (_node_sets(project, "aws-trial"), _node_sets(project, "gcp-trial")) == ({"training": 4}, {"training": 4})
    for stack in ("aws-trial", "gcp-trial"):
        ended = project.judged("destroy", "--yes", "--skip-preview", stack=stack)
        assert ended.code == 0, ended.text
    assert project.ledger() == []


STACK = "aws-trial"


def _live(project: Any, *command: str) -> str:
    done = project.run(
        "sandbox", "--kubernetes", "live", "pulumi", *command, "--yes", "--skip-preview", "--stack", STACK
    )
    assert done.code == 0, done.text
    return done.text


def _of_slurm(project: Any, kind: str, *names: str) -> list[dict[str, Any]]:
    """Objects in the namespace of Slurm, by their names."""
    done = project.kubectl("get", kind, *names, "--namespace=slurm", "--output=json", stack=STACK)
    assert done.code == 0, done.text
    found = json.loads(done.out)
    return [found] if len(names) == 1 else sorted(found["items"], key=lambda one: one["metadata"]["name"])


def _pods(project: Any) -> dict[str, dict[str, Any]]:
    return {pod["metadata"]["name"]: pod for pod in _of_slurm(project, "pods") if not _goes(pod)}


def _goes(pod: dict[str, Any]) -> bool:
    return "deletionTimestamp" in pod["metadata"]


def _running(project: Any, *pools: str) -> dict[str, str]:
    """Slurm node of these pools -> its machine, for those that run."""
    pods = _pods(project).items()
    return {
        name: pod["spec"]["nodeName"]
        for name, pod in pods
        if name.rpartition("-")[0] in pools and pod["status"]["phase"] == "Running"
    }


def _wait(project: Any, what: str, look: Callable[[], bool]) -> None:
    def scene() -> str:
        pods = _pods(project).items()
        return "\n".join(f"{name} {pod['spec'].get('nodeName')} {json.dumps(pod['status'])}" for name, pod in pods)

    wait_for(what, look, scene=scene, tick=1)


def _machines(project: Any, pool: str) -> set[str]:
    done = project.kubectl("get", "nodes", f"--selector=gpucluster/pool={pool}", "--output=name", stack=STACK)
    return {line.removeprefix("node/") for line in done.out.split()}


@pytest.mark.timeout(1800)
def test_the_operator_runs_the_pools_of_slurm_on_a_live_cluster_and_leaves_nothing(
    tmp_path: Path, copy: Callable[[Path], Any]
) -> None:
    need_programs()
    project = copy(tmp_path)
    _scheduler(project, "jobs: {scheduler: slurm}\n")
    said = _live(project, "up")
    assert "node-health, slurm-operator, trainer\n" in said
    assert "  slurm-operator: no slurmrestd answers it here" in said

    nodes = [f"training-{number}" for number in range(4)]
    _wait(project, "each training machine but the spare is a node", lambda: [*_running(project, "training")] == nodes)
    before = _running(project, "training")
    [spare] = _machines(project, "training") - {*before.values()}
    assert len({*before.values()}) == 4
    pods = _pods(project)
    for name in nodes:
        [slurmd] = pods[name]["spec"]["containers"]
        assert (slurmd["name"], slurmd["resources"]["limits"]["nvidia.com/gpu"]) == ("slurmd", "8")
        assert pods[name]["spec"]["hostname"] == name
        assert pods[name]["metadata"]["labels"].items() >= {"team": "research", "cost-center": "cc-1234"}.items()

    # What slurmrestd would tell is 0.
    def counted() -> list[int]:
        [node_set] = _of_slurm(project, "nodesets", "training")
        counts = ("replicas", "readyReplicas", "availableReplicas", "slurmIdle", "slurmAllocated", "slurmDown")
        return [node_set["status"].get(name, 0) for name in counts]

    _wait(project, "the status of the NodeSet counts its pods", lambda: counted() == [4, 4, 4, 0, 0, 0])
    [configuration] = _of_slurm(project, "configmaps", "slurm-config")
    lines = configuration["data"]["slurm.conf"].splitlines()
    assert {line.split()[0] for line in lines if line.startswith("PartitionName=")} == {
        "PartitionName=dev",
        "PartitionName=training",
    }
    assert "TaskProlog=/etc/gpucluster/task-prolog" in lines

    # The others are on CPU nodes; slurmctld has one, and waits there for the driver of its volume.
    def others() -> dict[str, str]:
        found = {pod["metadata"]["labels"]["app.kubernetes.io/name"]: pod for pod in _pods(project).values()}
        return {name: pod["spec"].get("nodeName", "") for name, pod in found.items() if name != "slurmd"}

    _wait(project, "slurmrestd and the login node have nodes", lambda: [*others().values()].count("") <= 1)
    assert sorted(others()) == ["login", "slurmctld", "slurmrestd"]
    assert not {*others().values()} & _machines(project, "training")

    def chosen() -> str:
        [claim] = _of_slurm(project, "persistentvolumeclaims", "state")
        return claim["metadata"].get("annotations", {}).get("volume.kubernetes.io/selected-node", "")

    _wait(project, "the volume of slurmctld has a node", lambda: chosen() != "")
    assert chosen() not in _machines(project, "training")

    # The operator's own pod, made by anybody else.
    copied = pods["training-0"]
    copied["metadata"] = {"name": "mine", "namespace": "slurm"}
    (project.path / "mine.json").write_text(json.dumps(copied))
    refused = project.kubectl("create", "--dry-run=server", "--filename=mine.json", stack=STACK)
    assert "GPUs of the namespace slurm are for slurmd alone" in refused.err

    # A broken machine: the node of that name goes on on the spare.
    broken = before["training-0"]
    assert project.run("sandbox", "node", "degrade", broken, "--stack", STACK).code == 0
    _wait(project, "the spare is in use", lambda: _running(project, "training") == {**before, "training-0": spare})

    # A machine that is gone: the node of that name goes on on the one that comes for it.
    assert project.run("sandbox", "node", "delete", before["training-1"], "--stack", STACK).code == 0
    _wait(
        project,
        "another machine is in use",
        lambda: (
            [*_running(project, "training")] == nodes
            and before["training-1"] not in _running(project, "training").values()
        ),
    )

    # An elastic pool: a machine comes for the node, which goes with it.
    for replicas in (1, 0):
        scaled = project.kubectl("scale", "nodeset", "dev", f"--replicas={replicas}", "--namespace=slurm", stack=STACK)
        assert scaled.code == 0, scaled.text
        wanted = [f"dev-{number}" for number in range(replicas)]
        _wait(project, f"{replicas} nodes of dev", lambda: [*_running(project, "dev")] == wanted)  # noqa: B023 - waits here
        if replicas:
            assert {*_running(project, "dev").values()} <= _machines(project, "dev")

    _scheduler(project, "")
    assert "slurm" not in _live(project, "up").partition("Live cluster")[2]

    def namespaces() -> set[str]:
        return {*project.kubectl("get", "namespaces", "--output", "name", stack=STACK).out.split()}

    # The cluster's own controller removes them, after what is in them.
    _wait(project, "Slurm is gone", lambda: not {"namespace/slurm", "namespace/slinky"} & namespaces())
    _scheduler(project, BOTH)
    _live(project, "up")
    _wait(project, "Slurm is back", lambda: len(_running(project, "training")) == 4)
    _live(project, "destroy")
    assert project.ledger() == []
    assert [*running_for(project.path / ".sandbox")] == []
