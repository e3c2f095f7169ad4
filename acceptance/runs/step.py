"""One measurement: what is created for it, how its end is seen, and whose log is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpucluster.acceptance.measured import Collective


@dataclass(frozen=True, kw_only=True)
class Step:
    """name: of its log. title: what it does, for who waits. objects: in the order of creation.

    watched: kind and name of the object whose Complete or Failed condition ends the step. logged: selector of the pods
    whose log is kept; pods: selector of all of its pods. collective: that it measures. algorithm: NCCL's, where one was
    forced. minutes: after which it is given up.
    """

    name: str
    title: str
    objects: tuple[Mapping[str, Any], ...]
    watched: tuple[str, str]
    logged: str
    pods: str
    collective: Collective | None = None
    algorithm: str | None = None
    minutes: int = 60
