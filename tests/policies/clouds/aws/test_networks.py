"""Which rules of a security group allow all traffic inside it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from gpucluster.core.program.resources import UNKNOWN
from gpucluster.policies.clouds.aws.networks import _all, _inline


@pytest.mark.parametrize(
    ("protocol", "inline", "rule"),
    [("-1", True, True), (-1, True, True), ("all", True, True), ("tcp", False, False), (6, False, False)],
)
def test_all_protocols_are_written_in_three_ways(protocol: object, inline: bool, rule: bool) -> None:
    group = SimpleNamespace(inputs={"ingress": [{"self": True, "protocol": protocol}]})
    assert _inline(cast(Any, group), "ingress") is inline
    alone = SimpleNamespace(inputs={"ipProtocol": protocol})
    assert _all(cast(Any, alone), "ipProtocol") is rule


def test_rules_of_others_or_of_the_other_direction_allow_nothing_inside_and_unknown_ones_may() -> None:
    group = SimpleNamespace(inputs={"ingress": [{"protocol": "-1"}], "egress": UNKNOWN})
    assert [_inline(cast(Any, group), of) for of in ("ingress", "egress")] == [False, False]
    assert _all(cast(Any, SimpleNamespace(inputs={"ipProtocol": UNKNOWN})), "ipProtocol")
