"""What the name of a size of machines says."""

from __future__ import annotations

import pytest

from gpucluster.sandbox.clouds.azure.machines import has_mig, is_rdma


@pytest.mark.parametrize(
    ("size", "rdma", "mig"),
    [
        ("Standard_ND96isr_H100_v5", True, True),
        ("standard_nd96isr_h200_v5", True, True),
        ("Standard_ND96is_H100_v5", False, True),
        ("Standard_ND96asr_v4", True, True),
        ("Standard_NC80adis_H100_v5", False, True),
        ("Standard_NC4as_T4_v3", False, False),
        ("Standard_D4s_v5", False, False),
    ],
)
def test_the_name_of_a_size_says_what_it_has(size: str, rdma: bool, mig: bool) -> None:
    assert (is_rdma(size), has_mig(size)) == (rdma, mig)
