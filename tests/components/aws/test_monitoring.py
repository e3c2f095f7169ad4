"""Where metrics go on AWS, and what the two options of `telemetry` add."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pulumi.runtime.mocks import MockResourceArgs

Register = Callable[..., dict[str, MockResourceArgs]]
RESTRICTED = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
PRIVATE = {"kind": "private", "via": "inside", "egress": "none", "registry": "registry.internal/mirror"}


@pytest.fixture(scope="module")
def seen(register: Register) -> dict[str, MockResourceArgs]:
    """A cluster with both options, without a way out."""
    return register(telemetry={"opencost": True, "collector": True}, access=PRIVATE)


def test_only_the_ports_of_what_runs_are_open(seen: dict[str, MockResourceArgs], register: Register) -> None:
    def ports(found: dict[str, MockResourceArgs], name: str) -> list[int]:
        [rule] = found[name].inputs["spec"]["ingress"]
        return [item["port"] for item in rule["ports"]]

    assert ports(seen, "trial-telemetry-ports") == [8080, 9003, 4317, 4318]
    assert ports(seen, "trial-gpu-exporter-ports") == [9400]
    assert ports(register(telemetry={"opencost": True}), "trial-telemetry-ports") == [8080, 9003]
    assert ports(register(), "trial-telemetry-ports") == [8080]


SOURCE = {
    "ArnEquals": {"aws:SourceArn": "arn:aws:mock:us-east-1:000000000000:trial-monitoring-workspace"},
    "StringEquals": {"aws:SourceAccount": "000000000000"},
}
SENDER = {"Service": "aps.amazonaws.com"}
TOPIC = "arn:aws:mock:us-east-1:000000000000:trial-monitoring-alerts-topic"
PAGER = "arn:aws:sns:us-west-2:123456789012:pager"


def test_a_topic_of_the_users_needs_none_of_ours(register: Register) -> None:
    found = register(telemetry={"alerts": {"topic": PAGER}})
    assert [name for name in found if name.startswith("trial-monitoring-alerts-")] == [
        "trial-monitoring-alerts-manager"
    ]
