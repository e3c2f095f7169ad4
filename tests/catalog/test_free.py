"""Types that cost nothing by themselves."""

from __future__ import annotations

import pytest

from gpucluster.catalog.free import free_reason, free_types


def test_every_free_type_has_a_reason_and_a_page():
    assert [name for name, (why, source) in free_types().items() if not why or not source.startswith("https://")] == []


@pytest.mark.parametrize(
    ("type_", "free"),
    [
        ("kubernetes:apps/v1:Deployment", True),
        ("kubernetes:core/v1:ConfigMap", True),
        ("kubernetes:rds.services.k8s.aws/v1alpha1:DBInstance", False),
        ("aws:ec2/vpc:Vpc", True),
        ("random:index/randomPassword:RandomPassword", True),
        ("cloudflare:index/zone:Zone", False),
        ("aws:ec2/dedicatedHost:DedicatedHost", False),
        ("kubernetes", False),
        ("", False),
    ],
)
def test_what_may_make_cloud_resources_is_not_assumed_free(type_, free):
    assert (free_reason(type_) is not None) is free
