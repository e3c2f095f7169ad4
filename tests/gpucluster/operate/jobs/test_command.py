"""`gpucluster jobs` with a `kubectl` that answers as a cluster does."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.core.documents.formats import written
from gpucluster.cost.estimate.teams import NO_TEAM, Kept, TeamCost
from gpucluster.cost.pricing.bounds import Gap
from gpucluster.operate.acceptance.runs.collect import Kubectl
from gpucluster.operate.jobs import command
from gpucluster.operate.jobs.cost import cost_of
from gpucluster.operate.jobs.document import Found, jobs_document
from gpucluster.operate.jobs.jobs import jobs_of
from gpucluster.operate.jobs.objects import by_kubectl, cluster_objects
from tests.gpucluster.operate.jobs.objects import NOW, condition, event, job, node, pod, workload

KUBECTL = f"""#!{shutil.which("sh")}
echo "$@" >> {{folder}}/asked
for word; do
  if [ "$before" = get ]; then
    file={{folder}}/$word.json
    if [ -e "$file" ]; then exec {shutil.which("cat")} "$file"; fi
    echo "error: the server doesn't have a resource type \\"$word\\"" >&2; exit 1
  fi
  before=$word
done
echo "Error from server (Forbidden): no logs" >&2; exit 1
"""
ADMITTED = condition("Admitted", 3)
NO_ROOM = (
    "couldn't assign flavors to pod set node: insufficient unused quota for nvidia.com/gpu in flavor "
    "training, 8 more needed"
)
OBJECTS = {
    "workload.kueue.x-k8s.io": [
        workload("llama", condition("QuotaReserved", 3), ADMITTED, usage={"nvidia.com/gpu": "16"}, count=2),
        workload("queued", condition("QuotaReserved", 1, status="False", message=NO_ROOM)),
        workload("silent", condition("QuotaReserved", 3), ADMITTED, usage={"nvidia.com/gpu": "8"}),
        workload("done", ADMITTED, condition("Finished", 1, reason="Succeeded"), namespace="team-vision"),
        workload("stuck", condition("Evicted", 1, message="exceeded the maximum number of retries"), active=False),
    ],
    "trainjob.trainer.kubeflow.org": [
        job("llama", user="ada"),
        job("queued", user="ben"),
        job("silent", user="ada"),
        job("done", condition("Complete"), namespace="team-vision"),
        job("stuck"),
    ],
    "job.batch": [],
    "pod": [pod("llama-node-0-0", "llama"), pod("llama-node-0-1", "llama", node="b")],
    "event": [event("silent", 'pods "silent-node-0-0" is forbidden: exceeded quota')],
    "node": [node("a"), node("b")],
}
Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run(words, objects)`: the result of `gpucluster jobs`, at 80 columns."""
    (program := tmp_path / "kubectl").write_text(KUBECTL.format(folder=tmp_path))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    class Clock:
        @staticmethod
        def now(_: object) -> Any:
            return NOW

    monkeypatch.setattr(command, "datetime", Clock)

    def jobs(*words: str, objects: dict[str, list[dict[str, Any]]] = OBJECTS) -> Any:
        for name, items in objects.items():
            (tmp_path / f"{name}.json").write_text(json.dumps({"items": items}))
        return CliRunner().invoke(main, ["jobs", *words])

    return jobs


LISTED = """\
Jobs: 3 running or waiting, 2 ended

job                                                                    state                  queue     pods
training/llama                                                         running                training   2/2
training/queued                                                        waiting, 1 of 1        training   0/1
    couldn't assign flavors to pod set node: insufficient unused quota for nvidia.com/gpu in flavor
    training, 8 more needed
training/silent                                                        admitted without pods  training   0/1
    pods "silent-node-0-0" is forbidden: exceeded quota
team-vision/done                                                       finished               training
training/stuck                                                         stopped for good       training
    exceeded the maximum number of retries
    Resume it:
    kubectl -n training patch workload trainjob-stuck --type merge -p '{"spec":{"active":true}}'
"""
COSTS = """\
Costs
  - p5.48xlarge on demand: $55.04 an hour,
    ewyluda/gpu-price-index@ab49c80:data/observations/2026/2026-10-10.csv, 2026-10-10
  - a job pays for its part of a machine's GPUs from admission to its end, of all attempts; days are in UTC
  - Kueue keeps the records of ended jobs for a week, and none of deleted jobs
"""


def test_jobs_are_listed_with_their_state_and_its_reason(run: Run, tmp_path: Path) -> None:
    found = run("--context", "trial")
    assert (found.exit_code, found.output) == (0, LISTED)
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[0] == "--context trial get workload.kueue.x-k8s.io --output json"
    assert not [line for line in asked if "get node" in line]


def test_costs_stand_beside_the_jobs_with_the_price_and_its_day(run: Run) -> None:
    found = run("--cost").output
    assert re.findall(r"^(?:training|team-vision)/(\S+).*?  +([\d.]+)  +(\S+)$", found, re.MULTILINE) == [
        ("llama", "48.0", "$330.24"),
        ("queued", "0.0", "$0.00"),
        ("silent", "24.0", "$165.12"),
        ("done", "16.0", "$110.08"),
        ("stuck", "0.0", "$0.00"),
    ]
    assert found.endswith(COSTS)


@pytest.mark.parametrize(
    ("by", "rows"),
    [
        (
            "team",
            [
                "team       jobs  GPU-hours     cost",
                "(no team)     2       72.0  $495.36",
                "vision        1       16.0  $110.08",
            ],
        ),
        (
            "user",
            [
                "user         jobs  GPU-hours     cost",
                "(not known)     1       16.0  $110.08",
                "ada             2       72.0  $495.36",
            ],
        ),
        ("day", ["day         jobs  GPU-hours     cost", "2026-11-28     3       88.0  $605.44"]),
    ],
)
def test_sums_are_one_table(run: Run, by: str, rows: list[str]) -> None:
    lines = "\n".join(rows)
    assert run("--by", by).output == f"Jobs: 3 running or waiting, 2 ended\n\n{lines}\n\n{COSTS}"


def test_json_has_every_job_and_every_sum(run: Run) -> None:
    found = json.loads(run("--cost", "--format", "json").output)
    assert found["schema_version"] == 1
    assert [(one["name"], one["state"], one["cost"]["usd"]) for one in found["jobs"]] == [
        ("done", "finished", "110.08"),
        ("llama", "running", "330.24"),
        ("queued", "waiting", "0.00"),
        ("silent", "admitted without pods", "165.12"),
        ("stuck", "stopped for good", "0.00"),
    ]
    assert json.loads(run("--by", "user", "--format", "json").output)["sums"][1] == {
        "name": "ada",
        "jobs": 2,
        "gpu_hours": "72.0000",
        "usd": "495.36",
        "gpu_hours_without_price": "0.0000",
        "planned_gpu_hours_a_month": None,
        "planned_usd_a_month": None,
    }


def test_without_permission_to_read_nodes_the_hours_are_known_and_the_dollars_are_not(run: Run, tmp_path: Path) -> None:
    run()
    (tmp_path / "node.json").unlink()
    (tmp_path / "kubectl").write_text(
        KUBECTL.format(folder=tmp_path).replace("the server doesn't have a resource type", "(Forbidden)")
    )
    found = CliRunner().invoke(main, ["jobs", "--by", "team"]).output
    assert "(no team)     2       72.0  not known" in found
    assert "  - not known: you may not read nodes, and its flavor names no machine\n" in found


def test_a_cluster_without_jobs_says_so(run: Run) -> None:
    found = run("--cost", objects={"workload.kueue.x-k8s.io": [], "pod": [], "event": []})
    assert (found.exit_code, found.output) == (0, "Jobs: 0 running or waiting, 0 ended\n\nNo job.\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-n", "training", "-A"], "--namespace and --all-namespaces exclude each other; remove one"),
        (["--stack", "trial"], "--stack is for prices; add --cost or --by, or remove it"),
        (["--by", "month"], "--by is 'month'; allowed: team, user, day"),
    ],
)
def test_options_that_do_not_fit_are_refused(run: Run, words: list[str], said: str) -> None:
    found = run(*words)
    assert (found.exit_code, found.stderr) == (2, f"error: command line: 1 problem\n  {said}\n")


def test_the_table_fits_a_terminal_of_80_columns(run: Run) -> None:
    objects = {**OBJECTS, "trainjob.trainer.kubeflow.org": [job("a-model-with-a-long-name-of-its-team")]}
    run(objects=objects)
    loads = [workload("a-model-with-a-long-name-of-its-team", ADMITTED, usage={"nvidia.com/gpu": "8"})]
    read = by_kubectl(Kubectl(None, None))
    run(objects={"workload.kueue.x-k8s.io": loads})
    objects_ = cluster_objects(read, lambda: iter(()), with_nodes=True)
    found = jobs_of(objects_, NOW)
    costs = [cost_of(one, objects_, None, NOW) for one in found]
    text = written(jobs_document(Found(jobs=found, costs=costs, by=None, plan=(), now=NOW)), "table", 80)
    assert max(map(len, text.splitlines())) <= 80


def test_sums_by_team_stand_beside_the_share_of_the_plan(run: Run) -> None:
    run()
    objects = cluster_objects(by_kubectl(Kubectl(None, None)), lambda: iter(()), with_nodes=True)
    found = jobs_of(objects, NOW)
    costs = [cost_of(one, objects, None, NOW) for one in found]
    plan = [
        TeamCost(name=name, monthly=Decimal(usd), gpus=gpus, budget=None, gap=Gap())
        for name, usd, gpus in (("vision", 80000, 16), ("speech", 40000, 8))
    ]
    text = written(jobs_document(Found(jobs=found, costs=costs, by="team", plan=plan, now=NOW)), "table", 80)
    assert text.partition("\n\n")[2].partition("\n\nCosts")[0].splitlines() == [
        "team       jobs  GPU-hours     cost  planned GPU-hours             planned",
        "(no team)     2       72.0  $495.36",
        "vision        1       16.0  $110.08     11,680 a month  $80,000.00 a month",
        "speech        0        0.0    $0.00      5,840 a month  $40,000.00 a month",
    ]


def test_what_the_idle_gpus_of_each_team_cost_an_hour_is_told_where_all_jobs_are_seen(run: Run) -> None:
    """`llama` and `silent` of no team hold 24 GPUs now; the only job of `vision` has ended."""
    run()
    objects = cluster_objects(by_kubectl(Kubectl(None, None)), lambda: iter(()), with_nodes=True)
    found = jobs_of(objects, NOW)
    costs = [cost_of(one, objects, None, NOW) for one in found]
    plan = [
        TeamCost(name=name, monthly=Decimal(0), gpus=gpus, budget=None, gap=Gap(),
                 kept=(Kept(pool="training", gpus=gpus, usd=gpus * Decimal("6.88")),))
        for name, gpus in (("vision", 16), ("speech", 8), (NO_TEAM, 32))
    ]  # fmt: skip
    held = sum(cost.gpus for cost in costs if cost.runs and cost.runs[1] == NOW)
    assert held == 24
    shown = Found(jobs=found, costs=costs, by="team", plan=plan, now=NOW)
    text = written(jobs_document(shown), "table", 80)
    assert [line for line in text.splitlines() if "GPUs in training" in line] == [
        "  - vision: 16 of its 16 GPUs in training, $110.08 an hour",
        "  - speech: 8 of its 8 GPUs in training, $55.04 an hour",
        "  - (no team): 8 of its 32 GPUs in training, $55.04 an hour",
    ]
    idle = json.loads(written(jobs_document(shown), "json"))["idle_now"]
    assert idle[2] == {"team": NO_TEAM, "pool": "training", "gpus": "8.0000", "of": 32, "usd_an_hour": "55.04"}
    assert "Idle now" not in written(jobs_document(replace(shown, everywhere=False)), "table", 80)
    without_jobs = written(jobs_document(replace(shown, jobs=(), costs=())), "table", 80)
    assert "vision: 16 of its 16 GPUs" in without_jobs
