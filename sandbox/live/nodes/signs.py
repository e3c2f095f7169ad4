"""A cloud's changes to a Node and its pods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A condition of a Node's status."""

    type: str
    status: str
    reason: str
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class Sign:
    """says: the cloud's action, for the user. drains: whether it cordons the node and evicts its pods. claim: whether
    it deletes the node's NodeClaim instead.
    """

    says: str
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    taints: Sequence[Mapping[str, str]] = ()
    conditions: Sequence[Condition] = ()
    drains: bool = False
    claim: bool = False
