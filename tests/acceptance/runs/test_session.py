"""A whole acceptance and a whole burn-in on a simulated cluster."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from acceptance.promises import Promise, Promises
from acceptance.runs.session import NothingToDo, accept, burn, burn_plan, manifests


@pytest.fixture
def said() -> list[str]:
    return []


def outcomes(verdicts: Any) -> dict[str, str]:
    return {verdict.check: verdict.outcome for verdict in verdicts}


def test_a_healthy_cluster_passes_with_all_its_promises(cluster: Any, tmp_path: Path, said: list[str]) -> None:
    promises = Promises(
        bus_gb_per_s={2: Promise(Decimal(350), "promises.bus_gb_per_s.2")},
        storage_gb_per_s=Promise(Decimal(3), "storage.shared.gb_per_s"),
    )

    verdicts, _, _ = accept(None, tmp_path, promises, level=3, pairs="auto", force=False, say=said.append)

    assert outcomes(verdicts) == {
        "one zone": "pass",
        "network domain": "pass",
        "promises.bus_gb_per_s.2": "pass",
        "GPU diagnosis": "pass",
        "all-reduce, 2 nodes": "pass",
        "storage read, 2 nodes": "pass",
    }
    assert cluster.standing == {}
    assert said[-1] == (
        f"shared storage from 2 nodes, large files and small ones: complete after 2 min, log in "
        f"{tmp_path}/acceptance-storage.log"
    )


def test_what_has_a_log_already_is_not_run_again(cluster: Any, tmp_path: Path, said: list[str]) -> None:
    accept(None, tmp_path, Promises(), level=3, pairs="never", force=False, say=said.append)
    first = list(cluster.created)
    (tmp_path / "acceptance-ring-2.log").unlink()

    accept(None, tmp_path, Promises(), level=3, pairs="never", force=False, say=said.append)

    assert cluster.created == [*first, "acceptance-ring-2"]


def test_a_slow_ring_is_followed_by_pairs(cluster: Any, tmp_path: Path, said: list[str]) -> None:
    cluster.nodes = ["node-a", "node-b", "node-c", "node-d"]
    cluster.speed = "150.00"

    accept(None, tmp_path, Promises(), level=1, pairs="auto", force=False, say=said.append)

    assert [name for name in cluster.created if "pair" in name] == [
        f"acceptance-pair-{turn}-{index}" for turn in (1, 2, 3) for index in (1, 2)
    ]


def test_spares_that_no_job_gets_have_a_ring_of_their_own(cluster: Any, tmp_path: Path, said: list[str]) -> None:
    cluster.nodes, cluster.queued = ["node-a", "node-b", "node-c", "node-d", "node-spare"], 4

    accept(None, tmp_path, Promises(), level=1, pairs="never", force=False, say=said.append)

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
        accept(None, tmp_path, Promises(), level=3, pairs="auto", force=False, say=said.append)

    assert str(refused.value) == (
        "1 pods hold GPUs of the training nodes (training/train-0); wait for them, or say --force to measure what is "
        "left"
    )


def test_a_step_that_never_ends_is_given_up_and_removed(cluster: Any, tmp_path: Path, said: list[str]) -> None:
    cluster.polls = 10**9

    accept(None, tmp_path, Promises(), level=3, pairs="never", force=False, say=said.append)

    assert cluster.standing == {}
    assert any(": given up after " in line for line in said)


@pytest.mark.usefixtures("cluster")
def test_a_burn_in_tells_its_cost_first_and_goes_on_where_it_was(tmp_path: Path, said: list[str]) -> None:
    plan = burn_plan(None, tmp_path, 3, force=False)
    assert plan.cost.startswith("2 x p5.48xlarge for 3.00 h: $330.24 on demand (2 x 55.04 x 3.00; ")
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
    with pytest.raises(NothingToDo, match=r"has 3 h already; raise --hours"):
        burn_plan(None, tmp_path, 3, force=False)


def test_a_burn_in_does_not_go_on_with_other_nodes(cluster: Any, tmp_path: Path, said: list[str]) -> None:
    hour = iter(range(0, 10**6, 3600))
    burn(burn_plan(None, tmp_path, 1, force=False), say=said.append, clock=lambda: float(next(hour)))
    cluster.nodes = ["node-a", "node-c"]

    with pytest.raises(NothingToDo, match=r"is of other nodes \(node-b, node-c differ\)"):
        burn_plan(None, tmp_path, 48, force=False)


def test_a_dry_run_writes_every_object_once() -> None:
    objects = list(yaml.safe_load_all(manifests(None, 5, level=3)))

    names = [(item["kind"], item["metadata"]["name"]) for item in objects]
    assert len(names) == len(set(names))
    assert [name for kind, name in names if kind == "TrainJob" and "ring" in name] == [
        "acceptance-ring-2",
        "acceptance-ring-4",
        "acceptance-ring-5",
    ]
