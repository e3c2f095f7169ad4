"""Prometheus' own judge of rules."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "promtool/promtool.py"


@pytest.fixture(scope="session")
def tool() -> Path:
    """The program promtool, built where there is none."""
    spec = importlib.util.spec_from_file_location("promtool", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.promtool(print)
