"""What nccl-tests and NCCL's own messages say of a run whose header is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucluster.operate.acceptance.logs.read import read_log
from gpucluster.operate.acceptance.measurements import CollectiveRun


def run(*lines: str) -> CollectiveRun:
    (found,) = read_log(Path("a.log"), "\n".join(lines)).measurements
    assert isinstance(found, CollectiveRun)
    return found


@pytest.mark.parametrize(
    ("row", "collective", "gpus"),
    [
        ("8589934592 2147483648 float  sum -1 33605 255.62 479.28   0 33628 255.44 478.95   0", "all-reduce", 16),
        ("8589934592  536870912 float  sum -1 24489 350.77 328.85   0 23991 358.05 335.67   0", "reduce-scatter", 4),
        ("8589934592  134217728 float none -1 24489 350.77 328.85   0 23991 358.05 335.67   0", "all-gather", 16),
        ("8589934592   67108864  half none -1 92988  92.38  89.49   0 92968  92.40  89.51 N/A", "all-to-all", 64),
        ("8589934592  134217728 float none -1 24489 350.77 328.85 N/A 23991 358.05 335.67 N/A", None, 16),
        ("8589934592 2147483648 float  sum  0 33605 255.62 255.62   0 33628 255.44 255.44   0", None, None),
        ("8589934592 2147483648 float none  0 33605 255.62 255.62   0 33628 255.44 255.44   0", None, None),
        ("2147483648  536870912 float  sum -1 99999   1.68   3.15   0 99999   1.65   3.09   0", "all-reduce", None),
    ],
)
def test_the_columns_tell_the_collective_and_the_number_of_gpus(
    row: str, collective: str | None, gpus: int | None
) -> None:
    found = run(row)

    assert (found.collective, found.gpus, found.complete) == (collective, gpus, True)


ROW = "8589934592 134217728 float none -1 24489 350.77 328.85 N/A 23991 358.05 335.67 N/A"


@pytest.mark.parametrize(
    ("command", "collective"),
    [
        ("mpirun -np 16 /opt/nccl-tests/build/all_gather_perf -b 8 -e 8G", "all-gather"),
        ("+ alltoall_perf_mpi -b 8 -e 8G", "all-to-all"),
        ("./sendrecv_perf -b 8", None),
        ("for test in all_gather_perf alltoall_perf", None),
    ],
)
def test_the_command_in_a_log_tells_the_collective_if_it_names_one(command: str, collective: str | None) -> None:
    assert run(command, ROW).collective == collective


def test_a_log_that_began_and_has_no_end_is_not_complete() -> None:
    assert not run("# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor)", ROW).complete


CARDS = " ".join(f"[{number}]mlx5_ib{number}:1/IB" for number in range(8))


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        (f"Using {CARDS} [8]mlx5_an0:1/RoCE [RO]; OOB eth0:10.0.0.4<0>", {"node-a": 8}),
        ("Using [0]mlx5_0:1/IB/SHARP [1]mlx5_1:1/IB/SHARP ; OOB ib0:10.0.0.4<0>", {"node-a": 2}),
        ("Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.4<0>", {"node-a": 2}),
        ("Using [0]mlx5_ib0:1/IB [1]mlx5_ib1:1/IB", {}),  # wrapped or cut off
    ],
)
def test_cards_are_counted_in_nccls_list_if_it_is_whole(text: str, cards: dict[str, int]) -> None:
    assert run(f"node-a:12:34 [0] NCCL INFO NET/IB : {text}", ROW).cards == cards


def test_nccl_on_aws_tells_cards_plugin_and_versions() -> None:
    found = run(
        "node-a:12:34 [0] NCCL INFO cudaDriverVersion 12080",
        "node-a:12:34 [0] NCCL INFO NET/OFI Initializing aws-ofi-nccl 1.19.0",
        "node-a:12:34 [0] NCCL INFO NET/OFI Using Libfabric version 2.4",
        "node-a:12:34 [0] NCCL INFO NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)",
        "node-b:12:34 [0] NCCL INFO NET/OFI Selected Provider is efa (found 16 nics)",
        "node-a:12:34 [0] NCCL INFO NCCL_COLLNET_ENABLE set by environment to 1.",
        ROW,
    )

    assert (found.cards, found.collnet) == ({"node-a": 32, "node-b": 16}, True)
    assert found.software == {"CUDA of the driver": "12.8", "aws-ofi-nccl": "1.19.0", "libfabric": "2.4"}
