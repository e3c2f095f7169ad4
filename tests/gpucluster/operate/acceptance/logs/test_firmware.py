"""Firmware and serial numbers in the output of nvidia-smi and ibv_devinfo."""

from __future__ import annotations

from pathlib import Path

from gpucluster.operate.acceptance.inventory import NodeFacts, inventory_of
from gpucluster.operate.acceptance.judge import judge
from gpucluster.operate.acceptance.logs.lines import Header, header_line
from gpucluster.operate.acceptance.logs.read import read_log
from gpucluster.operate.acceptance.verdicts.commitments import Promises

GPUS = """\
index, serial, vbios_version, driver_version
0, 1653723046420, 96.00.74.00.11, 580.159.04
1, [N/A], 96.00.74.00.11, 580.159.04
"""
CARDS = """\
hca_id: mlx5_ib0
        transport:                      InfiniBand (0)
        fw_ver:                         28.39.3560
hca_id: mlx5_ib1
        fw_ver:                         28.39.2048
"""


def facts(name: str, text: str) -> tuple[NodeFacts, ...]:
    return inventory_of([read_log(Path(name), text)]).nodes


def test_a_file_is_of_the_node_that_it_is_named_after() -> None:
    assert facts("results/node-a.txt", GPUS + CARDS) == (
        NodeFacts(
            name="node-a",
            software={
                "driver": "580.159.04",
                "VBIOS of GPUs": "96.00.74.00.11",
                "firmware of network cards": "28.39.2048, 28.39.3560",
            },
            serials={0: "1653723046420"},
        ),
    )


def test_pods_are_told_apart_and_named_by_the_header() -> None:
    header = header_line(Header(nodes={"pod-0": "node-a", "pod-1": "node-b"}))
    text = "\n".join(
        [header] + [f"[pod/{pod}/main] {line}" for pod in ("pod-0", "pod-1") for line in CARDS.splitlines()]
    )

    assert [node.name for node in facts("cards.log", text)] == ["node-a", "node-b"]


def test_nodes_with_other_firmware_are_warned_of() -> None:
    names = ("node-a", "node-b", "node-c")
    logs = [
        read_log(Path(f"{name}.txt"), GPUS.replace("74.00.11", "99.00.01") if name == "node-c" else GPUS)
        for name in names
    ]

    (verdict,) = judge(logs, machine=None, promises=Promises())

    assert (verdict.check, verdict.outcome, verdict.nodes) == ("software of the nodes", "warn", ("node-c",))
