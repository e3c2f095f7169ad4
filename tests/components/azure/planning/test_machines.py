"""What the name of a machine says: the r is InfiniBand."""

from __future__ import annotations

import pytest

from gpucluster.components.shared.machine_choice import shapes
from gpucluster.core.catalog.azure_regions import has_infiniband


@pytest.mark.parametrize(
    ("machine", "infiniband"),
    [
        ("Standard_ND96isr_H100_v5", True),
        ("Standard_ND96isr_H200_v5", True),
        ("Standard_ND96amsr_A100_v4", True),
        ("Standard_ND96asr_v4", True),
        ("Standard_ND96is_H100_v5", False),
        ("Standard_ND96is_noIB_H100_v5", False),
        ("Standard_ND96is_flex_H100_v5", False),
        ("Standard_NC40ads_H100_v5", False),
        ("Standard_NC80adis_H100_v5", False),
        ("Standard_NCC40ads_H100_v5", False),
        ("Standard_D4ds_v5", False),
    ],
)
def test_the_r_of_a_name_is_infiniband(machine: str, infiniband: bool) -> None:
    assert has_infiniband(machine) is infiniband


def test_every_machine_of_the_table_has_a_quota_and_the_fabric_its_name_says() -> None:
    rows = [row for row in shapes() if row.cloud == "azure"]
    assert len(rows) == 6
    for row in rows:
        assert row.quota
        assert has_infiniband(row.machine_type) is (row.fabric == "InfiniBand")
