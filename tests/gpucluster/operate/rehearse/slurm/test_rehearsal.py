"""Which files are batch scripts, which stacks have Slurm, and what is told without starting anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpucluster.errors import InputError
from gpucluster.operate.rehearse.command import rehearse
from gpucluster.operate.rehearse.outcome import Verdict
from gpucluster.operate.rehearse.slurm.batch import BatchOutcome, NodePlace, Script
from gpucluster.operate.rehearse.slurm.document import BatchReport, as_json, as_markdown, as_text
from gpucluster.operate.rehearse.slurm.host import this_host
from gpucluster.operate.rehearse.slurm.nodes import cluster_of
from gpucluster.operate.rehearse.slurm.rehearsal import are_scripts
from tests.says import Says

ROOT = Path(__file__).parents[5]


def test_scripts_are_known_by_their_first_line_or_name(tmp_path: Path) -> None:
    shell, named, objects = tmp_path / "job", tmp_path / "job.sbatch", tmp_path / "pod.yaml"
    shell.write_text("#!/bin/bash\n")
    objects.write_text("kind: Pod\n")
    assert (are_scripts([shell, named]), are_scripts([objects]), are_scripts([Path("-")])) == (True, False, False)
    with pytest.raises(InputError) as caught:
        are_scripts([shell, objects])
    assert str(caught.value) == Says(str(shell), str(objects))


def test_a_cluster_without_slurm_is_told_what_to_set() -> None:
    with pytest.raises(InputError) as caught:
        cluster_of("aws-trial", ROOT)
    assert str(caught.value) == Says("aws-trial", "no Slurm", "jobs.scheduler", "slurm")


@pytest.mark.parametrize("options", [["--up"], ["--namespace", "training"]])
def test_options_of_objects_are_refused(options: list[str], tmp_path: Path) -> None:
    file = tmp_path / "job.sbatch"
    file.write_text("#!/bin/bash\n")
    done = CliRunner().invoke(rehearse, [str(file), *options])
    assert (done.exit_code, done.output) == (2, Says(options[0]))


def test_the_daemons_see_a_name_on_loopback() -> None:
    assert this_host("nowhere.invalid").renamed or this_host("nowhere").address.startswith("127.")
    assert (this_host("localhost").renamed, this_host("localhost").address) == (False, "127.0.0.1")


RUNS = BatchOutcome(
    script=Script(source="a.sbatch", path=Path("a.sbatch")),
    verdict=Verdict.RUNS,
    name="a",
    partition="training",
    places=tuple(NodePlace(node=f"training-{number}", gpus=8, switch="leaf-0", task=None) for number in range(2)),
    cpus=384,
)
REFUSED = BatchOutcome(
    script=Script(source="b.sbatch", path=Path("b.sbatch")), verdict=Verdict.REFUSED, why=("sbatch: no", "do this")
)
REPORT = BatchReport(stack="trial", nodes=4, version="22.05.8", outcomes=[RUNS, REFUSED])


def test_every_form_has_nodes_switches_and_reasons() -> None:
    assert as_text(REPORT) == Says(
        "a.sbatch would run", "training-1, 8 GPUs, switch leaf-0", "384 CPUs and 16 GPUs", "do this"
    )
    assert as_markdown(REPORT) == Says("1 of 2 would run", "training-0", "do this")
    document = json.loads(as_json(REPORT))
    assert (document["would_run"], document["scheduler"], document["stack"]) == (False, "slurm", "trial")
    assert document["jobs"][1] == {
        "source": "b.sbatch",
        "name": None,
        "verdict": "refused",
        "why": ["sbatch: no", "do this"],
        "advice": [],
        "partition": None,
        "nodes": [],
        "switches": None,
        "cpus": 0,
        "tasks_wait": False,
    }
    assert (document["jobs"][0]["switches"], document["jobs"][0]["nodes"][0]) == (
        1,
        {"name": "training-0", "switch": "leaf-0", "gpus": 8, "task": None},
    )
