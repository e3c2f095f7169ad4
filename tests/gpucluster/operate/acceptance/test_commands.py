"""`gpucluster acceptance` as its user meets it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gpucluster.cli import main
from gpucluster.operate.acceptance.logs.lines import Header, header_line
from tests.says import Says

EXAMPLES = Path(__file__).parents[4] / "examples/acceptance"
TRIAL = Path(__file__).parents[4] / "stacks/specs/trial.yaml"


def run(*words: str | Path, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["acceptance", *map(str, words)], input=stdin)


def test_a_log_that_passes_gives_0_and_one_that_fails_1() -> None:
    assert run("report", EXAMPLES / "p5-ring-healthy.log").exit_code == 0
    assert run("report", EXAMPLES / "p5-pairs-one-slow.log").exit_code == 1
    assert run("report", EXAMPLES / "a3-mega-cut-off.log").exit_code == 1


def test_a_log_may_come_by_standard_input() -> None:
    result = run("report", "-", stdin=(EXAMPLES / "p5-ring-healthy.log").read_text())

    assert result.output.startswith("Acceptance: pass (1 pass)\n")


def test_every_file_that_cannot_be_used_is_told_at_once(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("it works")
    spec = tmp_path / "spec.yaml"
    spec.write_text(TRIAL.read_text() + "promises:\n  bus_gb_per_s:\n    1: 300\n  speed: 4\n")

    result = run("report", notes, tmp_path / "gone.log", "--machine", "p5.48xlrge", "--spec", spec)

    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert lines[0] == Says(notes, "starts", "no", "format")
    assert lines[1] == Says(f"{tmp_path}/gone.log", "directory")
    assert lines[2] == Says("--machine", "p5.48xlrge", "not", "p5.48xlarge")
    assert lines[3].endswith("/spec.yaml: 2 problems")
    assert "Traceback" not in result.stderr


def test_promises_of_the_spec_are_judged(tmp_path: Path) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(TRIAL.read_text() + "promises:\n  bus_gb_per_s:\n    8: 380\n  replacement_hours: 4\n")

    logs = [EXAMPLES / name for name in ("p5-ring-healthy.log", "replaced-node.json", "p5-storage-elbencho.json")]

    result = run("report", *logs, "--spec", spec, "--format", "json")

    verdicts = {verdict["check"]: verdict["outcome"] for verdict in json.loads(result.output)["verdicts"]}
    assert {check: verdicts[check] for check in verdicts if "small" not in check} == {
        "promises.bus_gb_per_s.8": "fail",
        "node replaced": "pass",
        "goodput": "measured",
        "all-reduce, 8 nodes": "pass",
        "storage write, 4 nodes": "fail",
        "storage read, 4 nodes": "pass",
    }


def test_the_page_needs_no_network_and_says_in_words_what_it_draws(tmp_path: Path) -> None:
    page = tmp_path / "report.html"

    result = run("report", EXAMPLES / "p5-ring-healthy.log", "--machine", "p5.48xlarge", "--format", "html", "-o", page)

    text = page.read_text()
    assert result.exit_code == 0
    assert re.findall(r"(?:src|href)=|https?://", text) == []
    assert re.search(r'<svg [^>]*aria-label="([^"]*)"', text)[1] == (  # type: ignore[index]
        Says("8", f"{EXAMPLES / 'p5-ring-healthy.log'}:5", "371.4", "GB/s", "p5.48xlarge", "320")
    )


def test_each_run_is_drawn_with_what_its_own_machine_must_reach(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    default = tmp_path / "default.log"
    header = header_line(Header(machine_type="Standard_ND96isr_H100_v5"))
    default.write_text(f"{header}\n{(EXAMPLES / 'ndv5-default-two-nodes.log').read_text()}")
    ring, untold = EXAMPLES / "p5-ring-healthy.log", EXAMPLES / "a3-mega-cut-off.log"

    run("report", ring, default, untold, "--format", "html", "-o", page)

    text = page.read_text()
    assert re.findall(r'<path class="limit (s\d)" d="M0.00', text) == ["s2", "s1"]
    assert re.findall(r"<span>([^<]*: \d+ GB/s)</span>", text) == [
        "Standard_ND96isr_H100_v5, warned of below: 400 GB/s",
        "p5.48xlarge, a ring must reach: 320 GB/s",
    ]
    assert len(re.findall(r'<path class="dots s\d"', text)) == 3


def test_names_in_a_page_are_escaped(tmp_path: Path) -> None:
    log = tmp_path / "<script>.log"
    log.write_text((EXAMPLES / "p5-ring-healthy.log").read_text().replace("ip-10-0", "<img src=x>"))

    assert "<img" not in run("report", log, "--format", "html").output
    assert "<script>" not in run("report", log, "--format", "html").output


def test_topology_reads_what_kubectl_printed(tmp_path: Path) -> None:
    nodes = tmp_path / "nodes.json"
    nodes.write_text('{"items": []}')

    assert run("topology", nodes).exit_code == 1
    nodes.write_text("[]")
    assert run("topology", nodes).stderr == (
        f"error: {nodes}: 1 problem\n  the file is an empty list, not a mapping; give the output of "
        "`kubectl get nodes -o json`\n"
    )
    nodes.write_text("{")
    assert run("topology", nodes).exit_code == 2


def test_a_machine_without_kubectl_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    result = run("topology")

    assert (result.exit_code, result.stderr) == (
        3,
        "error: kubectl is not on PATH; install it, or pass the output of `kubectl get nodes -o json`\n",
    )


def test_a_dry_run_without_a_cluster_says_whose_counts_it_takes(tmp_path: Path) -> None:
    result = run("run", "--dry-run", "--nodes", "4", "--spares", "1", "--pairs", "never", "--results", tmp_path / "new")

    assert result.exit_code == 0
    assert result.stderr == "No cluster is contacted; from --nodes and --spares: 4 nodes in the queue, 1 spares.\n"
    assert re.findall("name: acceptance-ring.*", result.stdout) == [
        "name: acceptance-ring-2",
        "name: acceptance-ring-4",
        "name: acceptance-ring-4-with-spares",
    ]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--nodes", "4"], "--nodes needs --dry-run; a run uses the training nodes of the cluster"),
        (["--dry-run", "--spares", "1"], "--spares needs --nodes; otherwise spares are read from the cluster"),
        (
            ["--dry-run", "--nodes", "4", "--node", "node-1"],
            "--node selects nodes of a cluster, but with --nodes no cluster is contacted; remove one of them",
        ),
    ],
)
def test_counts_that_nobody_asks_for_are_refused(words: list[str], told: str) -> None:
    result = run("run", *words)

    assert result.exit_code == 2
    assert result.stderr == f"error: command line: 1 problem\n  {told}\n"
