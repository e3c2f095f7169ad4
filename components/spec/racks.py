"""The refusal of accelerators that are sold in racks, which clusters are not built of yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic import model_validator

from gpucluster.components.planning.names import TRAINING_POOL
from gpucluster.components.planning.problem import BadSpecValue, Problem
from gpucluster.components.spec.model import Model
from gpucluster.core.catalog.racks import rack_in_words, racks_of


class TrainedModel(Model):
    """A spec with training nodes."""

    @model_validator(mode="before")
    @classmethod
    def _no_racks(cls, values: Any) -> Any:
        if problems := [*_problems(values)]:
            raise BadSpecValue(problems)
        return values


def _problems(values: object) -> Iterator[Problem]:
    """All of a spec that asks for racks: what its nodes are decides on every other field."""
    given = cast("Mapping[str, Any]", values if isinstance(values, Mapping) else {})
    accelerator, training = given.get("accelerator"), given.get(TRAINING_POOL)
    if not isinstance(accelerator, str) or not (sold := racks_of(accelerator)):
        return
    words = f"{rack_in_words(accelerator)}; `gpucluster quote` prices it"
    yield Problem("accelerator", f"is {accelerator!r}, and clusters of racks are not built yet", words)
    counts = cast("Mapping[str, Any]", training if isinstance(training, Mapping) else {})
    nodes, spares = counts.get("nodes"), counts.get("spares", 0)
    least = sold[0].nodes
    if type(nodes) is int and type(spares) is int and not any((nodes + spares) % rack.nodes == 0 for rack in sold):
        halves = "".join(f"; {rack.cloud} also sells {rack.nodes} nodes" for rack in sold if rack.nodes < least)
        fix = f"a rack has {least} nodes: write {least}, {2 * least}, {3 * least} or another multiple{halves}"
        yield Problem("training.nodes", f"and training.spares make {nodes + spares} nodes", fix)
