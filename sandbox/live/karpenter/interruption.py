"""Notice that a cloud will reclaim a machine of Karpenter's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.type_guards import mapping

_ANNOTATION: Final = "gpucluster/interruption"
"""Represents a message in the interruption queue; `program/interruption.go` reads it."""
_BOUGHT: Final = "karpenter.sh/capacity-type"


def notice(claim: Mapping[str, Any]) -> dict[str, Any]:
    """The change of a NodeClaim when the queue has such a message about its machine."""
    labels = mapping(mapping(claim.get("metadata")).get("labels"))
    kind = "spot" if labels.get(_BOUGHT) == "spot" else "scheduled-change"
    return {"metadata": {"annotations": {_ANNOTATION: kind}}}
