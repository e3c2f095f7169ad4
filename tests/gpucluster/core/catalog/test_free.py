"""Types that cost nothing by themselves."""

from __future__ import annotations

from gpucluster.core.catalog.resource_types import free_reason, free_types
from tests.cases import cases


def test_every_free_type_has_a_reason_and_a_page():
    assert [name for name, (why, source) in free_types().items() if not why or not source.startswith("https://")] == []


@cases
def test_what_may_make_cloud_resources_is_not_assumed_free(type_, free):
    assert (free_reason(type_) is not None) is free


def test_the_parts_of_a_service_that_cost_nothing_by_themselves_are_free() -> None:
    for type_ in (
        "aws:iam/user:User", "aws:iam/group:Group", "aws:iam/accessKey:AccessKey", "aws:cloudwatch/logStream:LogStream",
        "aws:ec2/defaultVpc:DefaultVpc", "aws:efs/accessPoint:AccessPoint", "aws:organizations/account:Account",
        "azure-native:storage:Blob", "azure-native:network:VirtualNetworkLink", "gcp:serviceaccount/key:Key",
        "random:index/randomPassword:RandomPassword", "tls:index/privateKey:PrivateKey",
    ):  # fmt: skip
        assert free_reason(type_), type_


def test_what_is_billed_by_what_it_makes_is_not_called_free() -> None:
    """A metric filter makes custom metrics, and those are billed (CloudWatch Logs API, PutMetricFilter)."""
    assert free_reason("aws:cloudwatch/logMetricFilter:LogMetricFilter") is None
