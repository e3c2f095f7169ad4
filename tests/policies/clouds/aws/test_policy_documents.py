"""Which resources of a service a pattern of a policy means."""

from __future__ import annotations

import pytest

from gpucluster.policies.clouds.aws.policy_documents import _resource


@pytest.mark.parametrize(
    ("pattern", "service", "name"),
    [
        ("data", "s3", "data"),
        ("arn:aws:s3:::data", "s3", "data"),
        ("arn:aws:s3:::*", "s3", "*"),
        ("arn:aws:s3:::*/*", "s3", "*"),
        ("arn:aws:*:::data", "s3", "data"),
        ("arn:aws:s3:us-east-1::data", "s3", None),
        ("arn:aws:sqs:*:*:data", "s3", None),
        ("arn:aws:logs:*:*:log-group:*:*", "logs", "log-group:*:*"),
        ("arn:aws:*", "s3", "*"),
        ("arn:aws:s3:*", "s3", None),
        ("arn:aws:??", "s3", None),
    ],
)
def test_a_pattern_names_resources_of_a_service_in_any_region(pattern: str, service: str, name: str | None) -> None:
    assert _resource(pattern, service) == name
