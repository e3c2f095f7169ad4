"""Organization policies: what they deny, what they allow, and which stay unknown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.gpucluster.operate.preflight.gcp.asked import one, summary
from tests.gpucluster.operate.preflight.gcp.google import Google

EXCEPTION = "ask who manages the policies for an exception for this project"
LOCATIONS, SERVICES, KEYS = "gcp.resourceLocations", "gcp.restrictServiceUsage", "gcp.restrictNonCmekServices"
PEERING, ACCOUNTS = "compute.restrictVpcPeering", "iam.disableServiceAccountCreation"
VALUES = {
    LOCATIONS: "us-central1",
    SERVICES: "compute.googleapis.com lustre.googleapis.com",
    KEYS: "compute.googleapis.com lustre.googleapis.com",
}


def values(**given: list[str]) -> list[Any]:
    return [{"values": given}]


@pytest.mark.parametrize(
    ("policy", "rules", "verdict", "found"),
    [
        (LOCATIONS, [], "fine", "allowed"),
        (LOCATIONS, [{"allowAll": True}], "fine", "allowed"),
        (LOCATIONS, [{"denyAll": True}], "stops up", "denies all"),
        (LOCATIONS, values(allowedValues=["us-central1"]), "fine", "allowed"),
        (LOCATIONS, values(allowedValues=["in:us-central1-locations"]), "fine", "allowed"),
        (LOCATIONS, values(allowedValues=["in:us-locations"]), "can't tell", "allows only in:us-locations"),
        (LOCATIONS, values(allowedValues=["us-east4"]), "stops up", "does not allow us-central1"),
        (LOCATIONS, values(deniedValues=["in:us-central1-locations"]), "stops up", "denies us-central1"),
        (SERVICES, values(deniedValues=["lustre.googleapis.com"]), "stops up", "denies lustre.googleapis.com"),
        (
            SERVICES,
            values(allowedValues=["compute.googleapis.com"]),
            "stops up",
            "does not allow lustre.googleapis.com",
        ),
        (
            KEYS,
            values(deniedValues=["is:compute.googleapis.com", "bigquery.googleapis.com"]),
            "stops up",
            "denies compute.googleapis.com",
        ),
        (KEYS, values(deniedValues=["bigquery.googleapis.com"]), "fine", "allowed"),
        (PEERING, [{"denyAll": True}], "stops up", "denies all"),
        (PEERING, values(allowedValues=["under:organizations/1"]), "can't tell", "allows only under:organizations/1"),
        (ACCOUNTS, [{"enforce": True}], "stops up", "enforced"),
        (ACCOUNTS, [{"enforce": False}], "fine", "allowed"),
    ],
)
def test_a_policy_is_read(google: Google, policy: str, rules: list[Any], verdict: str, found: str) -> None:
    google.answers["orgpolicy.projects.policies.getEffectivePolicy"] = lambda _: {"spec": {"rules": rules}}
    answer = one("policy", policy, "allowed", "my-project", values=VALUES.get(policy, ""))
    assert summary(answer)[:2] == (verdict, found)
    assert (answer.fix == EXCEPTION) == (verdict == "stops up")
    assert [call.given["name"] for call in google.calls] == [f"projects/my-project/policies/{policy}"]
