"""The file system for small files: what it can't hold, and that it is billed whole."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucluster.components.shared.storage.home import HomePlan, home_part, plan_home_files
from gpucluster.components.spec.storage import HomeStorage
from tests.components.told import reports, told


@pytest.mark.parametrize(("expected", "fits"), [(80, True), (81, False)])
def test_headroom_counts_against_the_most_that_is_sold(expected: int, fits: bool) -> None:
    home = HomeStorage(expected_gib=Decimal(expected))
    planning = reports()
    plan_home_files(home, planning, capacity_gib=100, most_gib=100, service="Filestore", store="Filestore")
    assert told(planning.problems) == (
        []
        if fits
        else ["storage.home.expected_gib is 81; Filestore holds at most 100 GiB, including 25 % headroom: request less"]
    )


def test_it_is_billed_as_provisioned() -> None:
    asked, planning = HomeStorage(expected_gib=Decimal(500)), reports()
    home = plan_home_files(asked, planning, capacity_gib=1_024, most_gib=9_999, service="a share", store="Filestore")
    assert home == HomePlan(capacity_gib=1_024, expected_gib=Decimal(500), protect=asked.protect)
    assert planning.notes == [
        "home folders: Filestore is billed by its provisioned size, 1,024 GiB, not by stored data"
    ]
    assert home_part(home, "Filestore") == "Filestore for small files, 1,024 GiB for 500 GiB"


def test_without_one_nothing_is_said() -> None:
    assert home_part(None, "Filestore") == "none"
