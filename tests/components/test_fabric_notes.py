"""What a plan says of images that jobs name themselves."""

from __future__ import annotations

import pytest

from gpucluster.catalog.fabric_releases import release_of
from gpucluster.catalog.machines import machines
from gpucluster.components.fabric_notes import fabric_notes


@pytest.mark.parametrize(
    ("machine", "notes"),
    [
        (
            "a3-highgpu-8g",
            [
                "images of jobs: PyTorch below 2.7, for the fabric's plugin v3.1.12 with NCCL 2.19.4; images with "
                "another version in their tag are refused; a job without an image uses "
                "nvcr.io/nvidia/pytorch:24.10-py3"
            ],
        ),
        (
            "a3-megagpu-8g",
            [
                "images of jobs: CUDA 12, for the fabric's plugin v1.0.16 with NCCL 2.28.7; images with another "
                "version in their tag are refused; a job without an image uses nvcr.io/nvidia/pytorch:25.06-py3; GPU "
                "driver from 580.65.06 below 581"
            ],
        ),
        ("a3-ultragpu-8g", []),
        ("p5.48xlarge", []),
        ("Standard_ND96isr_H100_v5", []),
        ("a3-highgpu-1g", []),
    ],
)
def test_the_plan_says_which_images_fit_where_not_all_do(machine: str, notes: list[str]) -> None:
    assert fabric_notes(release_of(machines()[machine])) == notes
