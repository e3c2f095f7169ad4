"""One measurement: its objects, its end condition, and its log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpucluster.acceptance.measured import Collective


@dataclass(frozen=True, kw_only=True)
class Step:
    """name: of its log. title: its description for the user. objects: in the order of creation.

    watched: kind and name of the object whose Complete or Failed condition ends the step. logged: selector of the pods
    whose log is kept; pods: selector of all of its pods. collective: the measured one. algorithm: NCCL's, if one was
    set. minutes: time limit.
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
