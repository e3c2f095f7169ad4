"""Parts of a bill: the lines of a stack by the nearest component."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from gpucluster.cost.model import CostLine, Part
from gpucluster.program.resources import Resource, Resources

STACK_PART: Final = "stack"
"""Part of the resources outside every component."""

_STACK_TYPE: Final = "pulumi:pulumi:Stack"


class Parts:
    """Groups lines by the nearest component around their resource."""

    def __init__(self, resources: Resources, outside: frozenset[str]) -> None:
        self._resources = resources
        self._outside = outside
        self._lines: dict[tuple[str, bool], list[CostLine]] = {}
        self._places: dict[str | None, tuple[str, list[CostLine]]] = {}

    def place(self, resource: Resource) -> tuple[str, list[CostLine]]:
        """(name of a resource's part, the part's lines); computed once for all children of a parent."""
        found = self._places.get(resource.parent)
        if found is None:
            around = [
                parent
                for parent in self._resources.parents(resource)
                if not parent.custom and parent.type != _STACK_TYPE
            ]
            name = around[0].name if around else STACK_PART
            training = not any(component.name in self._outside for component in around)
            found = self._places[resource.parent] = name, self._lines.setdefault((name, training), [])
        return found

    @property
    def elastic(self) -> frozenset[str]:
        """The non-training parts, with or without lines."""
        return frozenset(name for name, training in self._lines if not training)

    def done(self) -> tuple[Part, ...]:
        """The parts with lines, most expensive first, so that the order does not depend on that of the resources."""
        parts: list[tuple[Decimal, str, Part]] = []
        for (name, training), lines in self._lines.items():
            if lines:
                ordered, total = _dearest_first(lines)
                parts.append((-total, name, Part(name, ordered, training)))
        return tuple(part for _, _, part in sorted(parts, key=lambda item: item[:2]))


def _dearest_first(lines: Sequence[CostLine]) -> tuple[tuple[CostLine, ...], Decimal]:
    """(lines, most expensive resource first, those of one resource in the order of its handler; their sum)."""
    sums: dict[str, Decimal] = {}
    for line in lines:
        sums[line.urn] = sums.get(line.urn, Decimal(0)) + line.monthly
    return tuple(sorted(lines, key=lambda line: (-sums[line.urn], line.urn))), sum(sums.values(), Decimal(0))
