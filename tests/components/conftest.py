"""The trial spec and variations of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.spec import ClusterSpec

ROOT = Path(__file__).parents[2]
Vary = Callable[..., ClusterSpec]


@pytest.fixture
def trial() -> dict[str, Any]:
    """The trial spec as YAML gives it."""
    return yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text())


@pytest.fixture
def vary(trial: dict[str, Any]) -> Vary:
    """A spec like the trial's with some fields changed."""
    return lambda **changes: ClusterSpec.model_validate({**trial, **changes})
