"""The file system for small files: what it can't hold, and that it is billed whole."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucluster.components.gcp.planning.storage import LustrePlan
from gpucluster.components.shared.buckets import BucketPlan
from gpucluster.components.shared.file_systems import (
    ExistingStoragePlan,
    HomePlan,
    Shared,
    home_part,
    plan_home_files,
    shared_part,
    shared_sizes,
)
from gpucluster.components.spec.existing import ExistingFiles
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


LUSTRE = LustrePlan(capacity_gib=36_000, usable_gib=20_480, tier=250, protect=False, choice="")
YOURS = ExistingStoragePlan(files=ExistingFiles(id="fs-1", mount="10.0.0.1@tcp:/shared"), usable_gib=20_480)


@pytest.mark.parametrize(
    ("storage", "sizes", "part"),
    [
        (LUSTRE, (36_000, Decimal("8.7890625")), "Lustre of 36 TB for 20,480 GiB of data, 8.8 GB/s"),
        (BucketPlan(usable_gib=20_480, protect=False), (20_480, None), "container for 20,480 GiB of data"),
        (YOURS, (20_480, None), "yours, fs-1, for 20,480 GiB of data"),
    ],
    ids=["lustre", "bucket", "yours"],
)
def test_only_a_file_system_of_the_clusters_own_promises_throughput(
    storage: Shared, sizes: tuple[int, Decimal | None], part: str
) -> None:
    assert shared_sizes(storage) == sizes
    assert shared_part(storage, lustre="Lustre of 36 TB", bucket="container") == part
