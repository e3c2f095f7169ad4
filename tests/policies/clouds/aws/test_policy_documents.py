"""Which resources of a service a pattern of a policy means."""

from __future__ import annotations

from gpucluster.policies.clouds.aws.policy_documents import _resource
from tests.cases import cases


@cases
def test_a_pattern_names_resources_of_a_service_in_any_region(pattern: str, service: str, name: str | None) -> None:
    assert _resource(pattern, service) == name
