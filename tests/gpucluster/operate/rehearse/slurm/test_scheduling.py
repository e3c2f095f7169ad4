"""What Debian's Slurm, downloaded once, answers to batch scripts on emulated nodes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from pathlib import Path

import psutil
import pytest

from gpucluster.operate.rehearse.outcome import Verdict
from gpucluster.operate.rehearse.slurm.batch import BatchOutcome, rehearse_scripts
from gpucluster.operate.rehearse.slurm.controller import Controller, emulated
from gpucluster.operate.rehearse.slurm.packages import find_programs
from tests.gpucluster.operate.rehearse.slurm.clusters import CLUSTER, script
from tests.waiting import LIMIT, wait_for

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def controller() -> Generator[Controller]:
    with emulated(find_programs(print), CLUSTER) as running:
        yield running


def outcome(controller: Controller, folder: Path, *options: str) -> BatchOutcome:
    [found] = rehearse_scripts(controller, CLUSTER, [script(folder, *options)], seconds=LIMIT, say=print)
    return found


def test_a_job_gets_whole_nodes_below_one_switch_and_its_script_never_runs(
    controller: Controller, tmp_path: Path
) -> None:
    for _ in range(2):
        found = outcome(controller, tmp_path, "--nodes=2", "--gres=gpu:8", "--ntasks-per-node=8", "--job-name=pytorch")
        assert (found.verdict, found.name, found.partition) == (Verdict.RUNS, "pytorch", "training")
        assert [(place.node, place.gpus) for place in found.places] == [("training-0", 8), ("training-1", 8)]
        assert (found.switches, found.why, found.advice) == (1, (), ())
    assert [file.name for file in tmp_path.iterdir()] == ["job.sbatch"]


@pytest.mark.parametrize(
    ("options", "verdict", "words", "facts"),
    [
        (["--nodes=9", "--gres=gpu:8"], Verdict.WAITS, "PartitionNodeLimit", [["training", "--nodes=4"]]),
        (
            ["--nodes=2", "--gres=gpu:16"],
            Verdict.REFUSED,
            "not available",
            [["8 GPUs of type h100", "--gres=gpu:h100:8"]],
        ),
        (["--gres=gpu:a100:8"], Verdict.REFUSED, "not available", [["8 GPUs of type h100"]]),
        (
            ["--nodes=9", "--gpus-per-node=16"],
            Verdict.WAITS,
            "PartitionNodeLimit",
            [["--nodes=4"], ["--gres=gpu:h100:8"]],
        ),
        (["--partition=foo"], Verdict.REFUSED, "foo", [["training, mig", "--partition"]]),
        (["--mem=9999G"], Verdict.REFUSED, "Memory", [["1500000 MiB", "--mem=1500000"]]),
        (["--gres=gpu:8", "--mem-per-gpu=9999G"], Verdict.REFUSED, "not available", [["1500000 MiB"]]),
        (["--cpus-per-task=999"], Verdict.WAITS, "PartitionConfig", [["192 CPUs"]]),
        (["--nodes=4", "--gres=gpu:8", "--switches=1"], Verdict.WAITS, "Resources", [["2 switches", "--nodes=2"]]),
        (["--constraint=foo"], Verdict.REFUSED, "feature", [["mig, training"]]),
        (["--partition=mig", "--gres=gpu:1g.10gb:1", "--time=99:00:00"], Verdict.WAITS, "TimeLimit", [["--time"]]),
        (["--hold"], Verdict.WAITS, "JobHeldUser", [["--hold"]]),
        (["--gress=gpu:8"], Verdict.REFUSED, "--gress", [["option"]]),
    ],
)
def test_too_much_is_told_with_slurms_words_and_the_most_there_is(
    controller: Controller,
    tmp_path: Path,
    options: Sequence[str],
    verdict: Verdict,
    words: str,
    facts: Sequence[Sequence[str]],
) -> None:
    found = outcome(controller, tmp_path, *options)
    assert (found.verdict, found.places, found.advice) == (verdict, (), ())
    assert words in found.why[0]
    assert [[fact for fact in some if fact in line] for some, line in zip(facts, found.why[1:], strict=True)] == facts


def test_a_job_without_gpus_gets_advice_and_whole_nodes_come_with_theirs(
    controller: Controller, tmp_path: Path
) -> None:
    found = outcome(controller, tmp_path, "--partition=mig", "--ntasks=2")
    assert (found.verdict, [place.gpus for place in found.places]) == (Verdict.RUNS, [0])
    assert "--gres=gpu" in "".join(found.advice)
    assert [place.gpus for place in outcome(controller, tmp_path, "--nodes=1").places] == [8]


def test_nodes_below_more_switches_than_needed_are_told(controller: Controller, tmp_path: Path) -> None:
    apart = "--nodelist=training-0,training-2"
    found = outcome(controller, tmp_path, "--nodes=2", apart, "--gres=gpu:8")
    assert (found.switches, ["--switches=1" in line for line in found.advice]) == (2, [True])
    assert outcome(controller, tmp_path, "--nodes=3", "--gres=gpu:8").advice == ()


def test_tasks_of_an_array_that_do_not_fit_wait_for_the_others(controller: Controller, tmp_path: Path) -> None:
    found = outcome(controller, tmp_path, "--array=0-9", "--gres=gpu:8")
    assert (found.verdict, found.waiting, sorted(str(place.task) for place in found.places)) == (
        Verdict.RUNS,
        True,
        ["0", "1", "2", "3"],
    )


def test_a_script_that_waits_for_its_end_is_told_as_any_other(controller: Controller, tmp_path: Path) -> None:
    assert outcome(controller, tmp_path, "--wait", "--gres=gpu:8").verdict is Verdict.RUNS


def test_together_the_second_job_waits_for_the_first(controller: Controller, tmp_path: Path) -> None:
    some = [script(tmp_path, "--nodes=3", "--gres=gpu:8")] * 2
    first, second = rehearse_scripts(controller, CLUSTER, some, seconds=LIMIT, together=True, say=print)
    assert (first.verdict, second.verdict) == (Verdict.RUNS, Verdict.WAITS)


def test_two_at_once_do_not_meet_and_listen_on_loopback_only(controller: Controller, tmp_path: Path) -> None:
    with emulated(controller.programs, CLUSTER) as beside:
        held = outcome(beside, tmp_path, "--nodes=4", "--gres=gpu:8")
        found = outcome(controller, tmp_path, "--nodes=4", "--gres=gpu:8")
    assert (held.verdict, found.verdict) == (Verdict.RUNS, Verdict.RUNS)
    addresses = {
        connection.laddr.ip
        for process in psutil.Process().children(recursive=True)
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }
    assert addresses
    assert all(address.startswith("127.") for address in addresses)


_HELD = """
import sys, time
from gpucluster.operate.rehearse.slurm.controller import emulated
from gpucluster.operate.rehearse.slurm.packages import find_programs
from tests.gpucluster.operate.rehearse.slurm.clusters import CLUSTER
with emulated(find_programs(print), CLUSTER) as running:
    print(running.folder, flush=True)
    time.sleep(1000)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_whatever_ends_the_command_no_daemon_is_left(how: signal.Signals) -> None:
    # A shell that runs the tests in the background ignores SIGINT, and so would this.
    first = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    command = [sys.executable, "-c", first + _HELD]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as held:
        assert held.stdout is not None
        folder = next(Path(line.strip()) for line in held.stdout if line.startswith("/"))
        daemons = psutil.Process(held.pid).children(recursive=True)
        assert len(daemons) > len(CLUSTER.nodes)
        os.kill(held.pid, how)
        held.wait(LIMIT)
    wait_for("the end of all daemons", lambda: not any(daemon.is_running() for daemon in daemons))
    assert folder.exists() == (how is signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)
