"""Plans for judges, from resources in the form of Pulumi YAML."""

from __future__ import annotations

import json
from typing import Any

from gpucluster.core.program.readers.files import read_text
from gpucluster.core.program.resources import Resources
from gpucluster.policies.engine.examples import Example, plan_of


def plan(**resources: tuple[str, dict[str, Any]]) -> str:
    """name=(type, properties) as the text of a plan; `${name}` is a value that another resource gives."""
    written = {name: {"type": type_, "properties": properties} for name, (type_, properties) in resources.items()}
    return json.dumps(plan_of(Example(resources=written, fail={}), fails=False))


def resources(**declared: tuple[str, dict[str, Any]]) -> Resources:
    """The same, read."""
    return read_text(plan(**declared), "a plan")
