"""News that a cloud is about to take a machine of Karpenter's away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.type_guards import mapping

_ANNOTATION: Final = "gpucluster/interruption"
"""Stands for a message in the interruption queue; `program/interruption.go` reads it."""
_BOUGHT: Final = "karpenter.sh/capacity-type"


def notice(claim: Mapping[str, Any]) -> dict[str, Any]:
    """What is changed of a NodeClaim once the queue has such a message about its machine."""
    labels = mapping(mapping(claim.get("metadata")).get("labels"))
    kind = "spot" if labels.get(_BOUGHT) == "spot" else "scheduled-change"
    return {"metadata": {"annotations": {_ANNOTATION: kind}}}
