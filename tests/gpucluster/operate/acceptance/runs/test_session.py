"""A whole acceptance and a whole burn-in on a simulated cluster."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.operate.acceptance.runs.session import NothingToDo, accept, burn, burn_plan, imagined, manifests, seen
from gpucluster.operate.acceptance.verdicts.commitments import Promise, Promises
from tests.says import Says


@pytest.fixture
def said() -> list[str]:
    return []


def with_text(cluster: Any, text: str) -> list[str]:
    """Names of the created objects that have a text in them."""
    return [item["metadata"]["name"] for item in cluster.made if text in json.dumps(item)]


def untold(verdicts: Any) -> list[str]:
    """Why a verdict can't tell."""
    return [verdict.why for verdict in verdicts if verdict.outcome == "cannot tell"]


def outcomes(verdicts: Any) -> dict[str, str]:
    return {verdict.check: verdict.outcome for verdict in verdicts}


def test_a_healthy_cluster_passes_with_all_its_promises(cluster: Any, tmp_path: Path, said: list[str]) -> None:
    promises = Promises(
        bus_gb_per_s={2: Promise(Decimal(350), "promises.bus_gb_per_s.2")},
        storage_gb_per_s=Promise(Decimal(3), "storage.shared.gb_per_s"),
    )

    verdicts, _, _ = accept(seen(None, force=False), tmp_path, promises, level=3, pairs="auto", say=said.append)

    assert outcomes(verdicts) == {
        "one zone": "pass",
        "network domain": "pass",
        "promises.bus_gb_per_s.2": "pass",
        "GPU diagnosis": "pass",
        "all-reduce, 2 nodes": "pass",
        "all-gather, 2 nodes": "pass",
        "all-to-all, 2 nodes": "pass",
        "storage read, 2 nodes": "pass",
    }
    assert cluster.standing == {}
    assert said[-1] == Says("2", "2", f"{tmp_path}/acceptance-storage.log")


@pytest.mark.parametrize(("nodes", "why"), [([], "no node has the label"), (["node-a"], "can't be measured")])
def test_nodes_that_start_for_each_job_are_measured_by_a_job_of_ones_own(
    cluster: Any, nodes: list[str], why: str
) -> None:
    cluster.nodes, cluster.checks = nodes, {"admissionChecksStrategy": {"admissionChecks": [{"name": "training"}]}}
    with pytest.raises(NothingToDo, match=rf"{why}.*nccl-all-reduce.yaml"):
        seen(None, force=False)


def test_what_has_a_log_already_is_not_run_again(cluster: Any, tmp_path: Path, said: list[str]) -> None:
    accept(seen(None, force=False), tmp_path, Promises(), level=3, pairs="never", say=said.append)
    first = list(cluster.created)
    (tmp_path / "acceptance-ring-2.log").unlink()

    accept(seen(None, force=False), tmp_path, Promises(), level=3, pairs="never", say=said.append)

    assert cluster.created == [*first, "acceptance-ring-2"]


def test_a_slow_ring_is_followed_by_pairs(cluster: Any, tmp_path: Path, said: list[str]) -> None:
    cluster.nodes = ["node-a", "node-b", "node-c", "node-d"]
    cluster.speed = "150.00"

    accept(seen(None, force=False), tmp_path, Promises(), level=1, pairs="auto", say=said.append)

    assert [name for name in cluster.created if "pair" in name] == [
        f"acceptance-pair-{turn}-{index}" for turn in (1, 2, 3) for index in (1, 2)
    ]


def test_spares_that_no_job_gets_have_a_ring_of_their_own(cluster: Any, tmp_path: Path, said: list[str]) -> None:
    cluster.nodes, cluster.queued = ["node-a", "node-b", "node-c", "node-d", "node-spare"], 4

    accept(seen(None, force=False), tmp_path, Promises(), level=1, pairs="never", say=said.append)

    assert [name for name in cluster.created if "ring" in name] == [
        "acceptance-ring-2",
        "acceptance-ring-4",
        "acceptance-ring-4-with-spares",
    ]


def test_a_cluster_whose_gpus_are_held_is_not_measured(
    cluster: Any, holder: Callable[..., dict[str, Any]], tmp_path: Path, said: list[str]
) -> None:
    cluster.holding = [holder("train-0", "node-a", "8"), holder("web", "node-a"), holder("other", "node-z", "8")]

    with pytest.raises(NothingToDo) as refused:
        accept(seen(None, force=False), tmp_path, Promises(), level=3, pairs="auto", say=said.append)

    assert str(refused.value) == Says("1", "GPUs", "training/train-0", "--force", "GPUs")


def test_a_step_that_never_ends_is_given_up_and_removed(cluster: Any, tmp_path: Path, said: list[str]) -> None:
    cluster.polls = 10**9

    accept(seen(None, force=False), tmp_path, Promises(), level=3, pairs="never", say=said.append)

    assert cluster.standing == {}
    assert any(": timed out after " in line for line in said)


@pytest.mark.usefixtures("cluster")
def test_a_burn_in_tells_its_cost_first_and_goes_on_where_it_was(tmp_path: Path, said: list[str]) -> None:
    plan = burn_plan(None, tmp_path, 3, force=False)
    assert plan.cost == Says("2", "p5.48xlarge", "3.00", "$330.24", "2", "55.04", "3.00")
    hour = iter(range(0, 10**6, 3600))
    ticks = iter([0.0, 3600.0])

    def interrupted() -> float:
        try:
            return next(ticks)
        except StopIteration:
            raise KeyboardInterrupt from None

    with pytest.raises(KeyboardInterrupt):
        burn(plan, say=said.append, clock=interrupted)
    assert json.loads((tmp_path / "burn-in.json").read_text())["rounds"] == 1

    resumed = burn_plan(None, tmp_path, 3, force=False)
    assert resumed.state.left == Decimal("2.00")
    verdicts, _, _ = burn(resumed, say=said.append, clock=lambda: float(next(hour)))

    assert set(outcomes(verdicts).values()) == {"pass"}
    assert sorted({path.name.split("-")[1] for path in tmp_path.glob("round-*.log")}) == ["001", "002", "003"]
    with pytest.raises(NothingToDo, match=r"already has 3 h; raise --hours"):
        burn_plan(None, tmp_path, 3, force=False)


def test_a_burn_in_does_not_go_on_with_other_nodes(cluster: Any, tmp_path: Path, said: list[str]) -> None:
    hour = iter(range(0, 10**6, 3600))
    burn(burn_plan(None, tmp_path, 1, force=False), say=said.append, clock=lambda: float(next(hour)))
    cluster.nodes = ["node-a", "node-c"]

    with pytest.raises(NothingToDo, match=r"is from other nodes \(node-b, node-c differ\)"):
        burn_plan(None, tmp_path, 48, force=False)


def test_a_cordoned_node_is_diagnosed_and_no_ring_waits_for_it(cluster: Any, tmp_path: Path, said: list[str]) -> None:
    """Kueue places no pod there, so a ring over it would wait until it is given up."""
    cluster.nodes, cluster.queued = ["node-a", "node-b", "node-c", "node-d", "node-new"], 4
    cluster.cordoned = ["node-b"]

    verdicts, _, _ = accept(seen(None, force=False), tmp_path, Promises(), level=1, pairs="always", say=said.append)

    assert with_text(cluster, '"node-b"') == ["acceptance-diagnosis", "acceptance-storage-node"]
    assert [name for name in cluster.created if "ring" in name] == ["acceptance-ring-2", "acceptance-ring-4"]
    assert untold(verdicts) == [Says("node-b", "no", "not", "--results")]


def test_pods_past_the_queue_tolerate_a_cordon_and_those_of_the_queue_do_not(
    cluster: Any, tmp_path: Path, said: list[str]
) -> None:
    accept(seen(None, force=False), tmp_path, Promises(), level=1, pairs="always", say=said.append)

    cordon = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"}
    assert with_text(cluster, json.dumps(cordon)) == ["acceptance-diagnosis", "acceptance-storage-node"]


def test_a_new_node_is_measured_alone_while_a_job_holds_the_others(
    cluster: Any, holder: Callable[..., dict[str, Any]], tmp_path: Path, said: list[str]
) -> None:
    cluster.holding, cluster.cordoned = [holder("train-0", "node-a", "8")], ["node-b"]

    verdicts, _, _ = accept(
        seen(None, only=["node-b"], force=False), tmp_path, Promises(), level=3, pairs="auto", say=said.append
    )

    assert with_text(cluster, '"node-a"') == []
    assert with_text(cluster, '"node-b"') == ["acceptance-diagnosis", "acceptance-storage-node"]
    assert outcomes(verdicts)["all-reduce"] == "cannot tell"


@pytest.mark.usefixtures("cluster")
def test_a_node_alone_says_that_its_fabric_was_not_measured(tmp_path: Path, said: list[str]) -> None:
    one = seen(None, only=["node-b"], force=False)

    verdicts, _, _ = accept(one, tmp_path, Promises(), level=3, pairs="auto", say=said.append)

    assert untold(verdicts) == [Says("node-b", "no", "--results")]


@pytest.mark.usefixtures("cluster")
def test_a_name_that_is_no_training_node_is_refused() -> None:
    with pytest.raises(NothingToDo) as refused:
        seen(None, only=["node-a", "node-x"], force=False)

    assert str(refused.value) == Says("--node", "node-x", "node-a", "node-b")


def test_no_round_of_a_burn_in_waits_for_a_cordoned_node(cluster: Any, tmp_path: Path, said: list[str]) -> None:
    cluster.nodes, cluster.cordoned = ["node-a", "node-b", "node-c"], ["node-c"]
    hour = iter(range(0, 10**6, 3600))

    verdicts, _, _ = burn(burn_plan(None, tmp_path, 1, force=False), say=said.append, clock=lambda: float(next(hour)))

    assert with_text(cluster, '"node-c"') == ["acceptance-diagnosis", "acceptance-stress"]
    assert "acceptance-full" in cluster.created
    assert outcomes(verdicts)["all-reduce"] == "cannot tell"


@pytest.mark.parametrize(
    ("nodes", "cordoned", "queued"),
    [(["node-1", "node-2", "node-3", "node-4", "node-5"], [], 4), (["node-1", "node-2", "node-3"], ["node-2"], 3)],
)
def test_a_dry_run_prints_what_the_real_one_makes(
    cluster: Any, tmp_path: Path, said: list[str], nodes: list[str], cordoned: list[str], queued: int
) -> None:
    cluster.nodes, cluster.cordoned, cluster.queued = nodes, cordoned, queued

    printed = manifests(seen(None, force=False).scope, tmp_path, level=3, pairs="always", say=said.append)
    assert cluster.created == []
    accept(seen(None, force=False), tmp_path, Promises(), level=3, pairs="always", say=said.append)

    assert list(yaml.safe_load_all(printed)) == cluster.made


@pytest.mark.usefixtures("cluster")
def test_a_dry_run_leaves_out_what_has_a_log_as_the_real_one_does(tmp_path: Path, said: list[str]) -> None:
    accept(seen(None, force=False), tmp_path, Promises(), level=3, pairs="never", say=said.append)
    (tmp_path / "acceptance-ring-2.log").unlink()

    printed = manifests(seen(None, force=False).scope, tmp_path, level=3, pairs="never", say=said.append)

    assert [item["metadata"]["name"] for item in yaml.safe_load_all(printed)] == ["acceptance-ring-2"]


def test_without_a_cluster_the_counts_are_those_given(tmp_path: Path, said: list[str]) -> None:
    printed = manifests(imagined(4, 1), tmp_path, level=3, pairs="auto", say=said.append)

    names = [(item["kind"], item["metadata"]["name"]) for item in yaml.safe_load_all(printed)]
    assert len(names) == len(set(names))
    assert [name for kind, name in names if kind == "TrainJob" and "ring" in name] == [
        "acceptance-ring-2",
        "acceptance-ring-4",
        "acceptance-ring-4-with-spares",
    ]
    assert said == [Says("acceptance-pair", "only")]
