"""Logs that others published, short: what they show is told without a flag but the machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpucluster.core.catalog.machines import machines
from gpucluster.operate.acceptance.judge import completed, judge
from gpucluster.operate.acceptance.logs.read import Log, read_log
from gpucluster.operate.acceptance.measurements import Collective
from gpucluster.operate.acceptance.verdicts.commitments import Promises

PUBLIC = Path(__file__).parent / "public"
# name -> (machine, check, collective if the log does not tell)
LOGS: dict[str, tuple[str, str, Collective | None]] = {
    "p5-two-nodes.log": ("p5.48xlarge", "all-reduce, 2 nodes", None),
    "p5-eks-two-nodes.log": ("p5.48xlarge", "all-reduce, 2 nodes", None),
    "p4de-two-nodes.log": ("p4de.24xlarge", "all-reduce, 2 nodes", None),
    "a3-mega-all-gather.log": ("a3-megagpu-8g", "all-gather, 2 nodes", None),
    "a3-ultra-all-gather.log": ("a3-ultragpu-8g", "all-gather, 2 nodes", None),
    "a3-high-all-gather.log": ("a3-highgpu-8g", "all-gather, 2 nodes", "all-gather"),
    "aks-infiniband.log": ("Standard_ND96asr_v4", "all-reduce, 2 nodes", None),
}


def judged(name: str, text: str, machine: str, collective: Collective | None = None) -> tuple[str, str]:
    log = read_log(Path(name), text)
    log = Log(log.name, completed(log.measurements, algorithm=None, collective=collective), log.damages)
    *_, verdict = judge([log], machine=machines()[machine], promises=Promises())
    return verdict.check, verdict.outcome


def with_gpus(text: str, nodes: int = 2, gpus: int = 8) -> str:
    """With the list of GPUs that the page left out."""
    ranks = [
        f"#  Rank {node * gpus + gpu:2d} Group  0 Pid 1 on node-{node} device {gpu:2d} [0000:04:00] NVIDIA H100\n"
        for node in range(nodes)
        for gpu in range(gpus)
    ]
    return "".join(ranks) + text


def halved(text: str) -> str:
    """With half of each speed, in the columns of both bandwidths."""
    rows = re.compile(r"^(\S*:?\s*\d+\s+\d+\s+float\s+\w+\s+-1)(.*)$", re.MULTILINE)

    def row(match: re.Match[str]) -> str:
        cells = match[2].split()
        for index in (1, 2, 5, 6):
            cells[index] = f"{float(cells[index]) / 2:.2f}"
        return " ".join([match[1], *cells])

    return rows.sub(row, text)


@pytest.mark.parametrize("name", LOGS)
def test_a_healthy_one_passes(name: str) -> None:
    machine, check, collective = LOGS[name]

    assert judged(name, (PUBLIC / name).read_text(), machine, collective) == (check, "pass")


@pytest.mark.parametrize("name", LOGS)
def test_half_of_its_speed_fails_if_all_gpus_took_part(name: str) -> None:
    machine, check, collective = LOGS[name]
    text = halved((PUBLIC / name).read_text())

    assert judged(name, with_gpus(text), machine, collective) == (check, "fail")
    assert judged(name, text, machine, collective)[1] == "cannot tell"


def test_four_of_eight_gpus_at_half_of_the_speed_are_no_broken_fabric() -> None:
    text = halved((PUBLIC / "aks-infiniband.log").read_text())

    assert judged("half.log", with_gpus(text, gpus=4), "Standard_ND96asr_v4")[1] == "warn"


def test_tcp_is_told_by_its_speed() -> None:
    assert judged("aks-tcp.log", (PUBLIC / "aks-tcp.log").read_text(), "Standard_ND96asr_v4")[1] == "fail"


def test_every_log_has_its_source_and_licence_in_the_readme() -> None:
    readme = (PUBLIC / "README.md").read_text()

    assert [path.name for path in PUBLIC.glob("*.log") if f"| `{path.name}` |" not in readme] == []
