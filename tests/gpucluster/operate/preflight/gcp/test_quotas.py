"""Quotas against their present use, and what to ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gpucluster.operate.preflight.answers import Answer
from tests.components.gcp.planning.test_plan import plan
from tests.gpucluster.operate.preflight.gcp.asked import answers_of, one, summary
from tests.gpucluster.operate.preflight.gcp.google import Call, Google, Refused
from tests.gpucluster.operate.preflight.gcp.world import metric, quotas, series

CREATE = "gcloud beta quotas preferences create --project=my-project --service=compute.googleapis.com"
FAMILY = "gpu_family=NVIDIA_H100_MEGA"


def family(needed: int = 40, **more: Any) -> Answer:
    return one(
        "quota",
        f"GPUS-PER-GPU-FAMILY-per-project-region {FAMILY}",
        needed,
        "us-central1",
        unit="GPUs",
        service="compute.googleapis.com",
        metric="gpus_per_gpu_family",
        id="GPUS-PER-GPU-FAMILY-per-project-region",
        family=FAMILY,
        sandbox="NVIDIA_H100_MEGA_GPUS",
        **more,
    )


def regional(needed: int = 1000, name: str = "hdb_total_gb", **more: Any) -> Answer:
    quota = f"{name.upper().replace('_', '-')}-per-project-region"
    details = {"service": "compute.googleapis.com", "metric": name, "id": quota}
    return one("quota", quota, needed, "us-central1", unit="GB", **details, **more)


@pytest.mark.parametrize(
    ("limit", "used", "verdict", "fix"),
    [
        (1000, 0, "fine", ""),
        (1499, 500, "stops up", "ask for 1,500 or more"),
        (1500, 500, "fine", ""),
        (0, 0, "stops up", "ask for 1,000 or more"),
    ],
)
def test_use_counts_against_the_limit(google: Google, limit: int, used: int, verdict: str, fix: str) -> None:
    google.answers["compute.regions.get"] = lambda _: quotas(HDB_TOTAL_GB=(limit, used))
    found = regional()
    assert summary(found) == (verdict, f"{limit:,} GB, {used:,} in use", fix)
    quota = "--quota-id=HDB-TOTAL-GB-per-project-region"
    asked = f"{CREATE} {quota} --preferred-value={1000 + used} --dimensions=region=us-central1"
    assert found.command == (asked if fix else "")


def test_a_quota_that_does_not_decide_warns(google: Google) -> None:
    google.answers["compute.regions.get"] = lambda _: quotas(PREEMPTIBLE_CPUS=(0, 0))
    assert summary(regional(name="preemptible_cpus", decides=False))[0] == "warns"


@pytest.mark.parametrize(
    ("buckets", "found"),
    [
        (
            [
                (0, {}),
                (64, {"gpu_family": "NVIDIA_H100_MEGA"}),
                (48, {"gpu_family": "NVIDIA_H100_MEGA", "region": "us-central1"}),
            ],
            "48 GPUs, 0 in use",
        ),
        (
            [
                (0, {}),
                (64, {"gpu_family": "NVIDIA_H100_MEGA"}),
                (8, {"gpu_family": "NVIDIA_H100_MEGA", "region": "us-east4"}),
            ],
            "64 GPUs, 0 in use",
        ),
        ([(0, {}), (64, {"gpu_family": "NVIDIA_H100"})], "0 GPUs, 0 in use"),
        ([(0, {}), (-1, {"gpu_family": "NVIDIA_H100_MEGA"})], "no limit"),
        ([(2**63 - 1, {"gpu_family": "NVIDIA_H100_MEGA", "region": "us-central1"})], "no limit"),
        ([(-1, {"region": "us-central1"})], "the project lists no such quota"),
        ([(2**63 - 1, {})], "the project lists no such quota"),
    ],
)
def test_the_bucket_of_the_family_and_the_region_counts(
    google: Google, buckets: list[tuple[int, Mapping[str, str]]], found: str
) -> None:
    google.answers["serviceusage.services.consumerQuotaMetrics.get"] = lambda _: metric("gpus_per_gpu_family", *buckets)
    assert family().found == found


def test_the_use_of_a_family_is_the_newest_measured(google: Google) -> None:
    google.answers["monitoring.projects.timeSeries.list"] = lambda _: series(24, 8)
    bucket = {"gpu_family": "NVIDIA_H100_MEGA"}
    google.answers["serviceusage.services.consumerQuotaMetrics.get"] = lambda _: metric("x", (48, bucket))
    found = family()
    assert summary(found) == ("stops up", "48 GPUs, 24 in use", "ask for 64 or more")
    assert found.command.endswith(f"--preferred-value=64 --dimensions=region=us-central1,{FAMILY}")
    assert found.scenario == {
        "quotas": [{"cloud": "gcp", "name": "NVIDIA_H100_MEGA_GPUS", "region": "us-central1", "limit": 48, "usage": 24}]
    }
    [asked] = [call.given["filter"] for call in google.calls if call.id.startswith("monitoring")]
    assert asked == (
        'resource.labels.location="us-central1" AND '
        'metric.type="compute.googleapis.com/quota/gpus_per_gpu_family/usage" AND '
        'metric.labels.gpu_family="NVIDIA_H100_MEGA"'
    )


def test_a_limit_is_not_enough_where_its_use_cannot_be_read(google: Google) -> None:
    def refuse(_: Call) -> Any:
        raise Refused(403, "x", reason="IAM_PERMISSION_DENIED", permission="monitoring.timeSeries.list")

    google.answers["monitoring.projects.timeSeries.list"] = refuse
    found = family()
    assert (str(found.verdict), found.blocks) == ("can't tell", True)
    assert found.found == "2,000,000 GPUs; their use: you lack monitoring.timeSeries.list"
    assert summary(family(3_000_000))[0] == "stops up"


def test_an_unknown_quota_is_no_limit_of_zero(google: Google) -> None:
    def absent(_: Call) -> Any:
        raise Refused(404, "no such metric")

    google.answers["serviceusage.services.consumerQuotaMetrics.get"] = absent
    assert summary(family())[:2] == ("can't tell", "the project lists no such quota")


def test_quotas_of_other_services_are_read_where_those_of_compute_engine_cannot_be(google: Google) -> None:
    def refuse(_: Call) -> Any:
        raise Refused(403, "Required 'compute.regions.get' permission for 'projects/my-project'")

    google.answers["compute.regions.get"] = refuse
    assert summary(regional())[:2] == ("can't tell", "you lack compute.regions.get")
    assert summary(family())[0] == "fine"


def test_use_is_read_from_every_page(google: Google) -> None:
    def pages(call: Call) -> Any:
        return {**series(8), "nextPageToken": "2"} if "pageToken" not in call.given else series(2_000_000)

    google.answers["monitoring.projects.timeSeries.list"] = pages
    assert summary(family())[0] == "stops up"


def lustre(needed: int) -> Answer:
    details = {"service": "lustre.googleapis.com", "metric": "", "id": ""}
    return one("quota", "capacity of Managed Lustre", needed, "us-central1-b", unit="GiB", **details)


@pytest.mark.parametrize(
    ("metrics", "verdict", "found"),
    [
        ({"StorageCapacity": 36_000, "DynamicTierCapacity": 0, "instances": 20}, "fine", "36,000 GiB, 0 in use"),
        ({"StorageCapacity": 35_999}, "stops up", "35,999 GiB, 0 in use"),
        (
            {"CapacityA": 1, "CapacityB": 1},
            "can't tell",
            "quotas of its capacity: lustre.googleapis.com/CapacityA, lustre.googleapis.com/CapacityB",
        ),
        ({"instances": 20}, "can't tell", "quotas of its capacity: none"),
    ],
)
def test_lustre_has_one_quota_of_capacity_or_no_answer(
    google: Google, metrics: Mapping[str, int], verdict: str, found: str
) -> None:
    rows = [
        metric(name, (0, {}), (limit, {"zone": "us-central1-b"}), service="lustre.googleapis.com")
        for name, limit in metrics.items()
    ]
    google.answers["serviceusage.services.consumerQuotaMetrics.list"] = lambda _: {"metrics": rows}
    assert summary(lustre(36_000))[:2] == (verdict, found)


def test_the_quotas_of_a_plan_are_asked_with_few_requests(google: Google) -> None:
    found = answers_of(*(one for one in plan().facts.questions if one.about == "quota"))
    assert {str(answer.verdict) for answer in found} == {"fine"}
    assert len(google.calls) == 10
