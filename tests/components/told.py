"""Problems as their user reads them."""

from __future__ import annotations

from typing import Any, cast

from gpucluster.components.problem import Problem

__all__ = ["told"]


def told(found: object) -> list[str]:
    """The texts of a list of problems; fails for anything else, such as a location."""
    assert isinstance(found, list)
    problems = cast("list[Any]", found)
    assert all(isinstance(one, Problem) for one in problems)
    return [str(one) for one in problems]
