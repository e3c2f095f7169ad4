"""Specs of the trial's shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import yaml

from gpucluster.components.aws.location import Location

HERE: Final = Location(region="us-east-1", zone="us-east-1a")
_TRIAL: Final = Path(__file__).parents[5] / "stacks/specs/trial.yaml"


def spec(**changes: Any) -> dict[str, Any]:
    """The trial's with other parts."""
    return {**yaml.safe_load(_TRIAL.read_text()), "budget": None, **changes}
