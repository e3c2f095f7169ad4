"""What every node mounts: its size, and what people are told of it."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucluster.components.gcp.planning.storage import LustrePlan
from gpucluster.components.shared.storage.buckets import BucketPlan
from gpucluster.components.shared.storage.existing_storage import MountedPlan, Shared, shared_part, shared_sizes
from gpucluster.components.spec.existing import ExistingFiles

LUSTRE = LustrePlan(capacity_gib=36_000, usable_gib=20_480, tier=250, protect=False, choice="")
YOURS = MountedPlan(files=ExistingFiles(id="fs-1", mount="10.0.0.1@tcp:/shared"), usable_gib=20_480)


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
