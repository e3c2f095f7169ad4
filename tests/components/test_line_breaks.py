"""A line break at the end of a text, which no name, id or version has."""

from __future__ import annotations

import copy
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from gpucluster.components.spec.cluster import StackSpec
from gpucluster.components.spec.errors import InvalidSpec
from tests.components.told import refused

ROOT = pathlib.Path(__file__).parents[2]
Place = tuple[str | int, ...]

READ_WITHOUT = ("duration", "expire_after", "keep_empty")
"""Times are read without what surrounds them."""


def texts(value: Any, path: Place = ()) -> Iterator[Place]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from texts(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from texts(inner, (*path, index))
    elif isinstance(value, str):
        yield path


def broken(value: Any, path: Place) -> Any:
    found = copy.deepcopy(value)
    inner = found
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] += "\n"
    return found


@pytest.mark.parametrize("cloud", ["aws", "azure", "gcp"])
def test_every_text_of_an_example_that_ends_with_a_line_break_is_refused(cloud: str) -> None:
    """Each place of a text once, whatever spec has it."""
    from tools.pages.examples import examples

    config = yaml.safe_load((ROOT / f"stacks/Pulumi.{cloud}-trial.yaml").read_text())["config"]
    machine, seen, taken = config.get("gpucluster:machine"), set[Place](), set[str]()
    for example in examples():
        spec = yaml.safe_load(example.spec.read_text())
        for path in texts(spec) if example.cloud == cloud else ():
            if path not in seen and not _refused(broken(spec, path), cloud, machine):
                taken.add(".".join(map(str, path)))
            seen.add(path)
    assert len(seen) > 20
    assert taken == {name for name in taken if name.rpartition(".")[2] in READ_WITHOUT}


def _refused(spec: Any, cloud: str, machine: str | None) -> bool:
    try:
        asked = StackSpec.model_validate(spec)
    except InvalidSpec:
        return True
    return bool(refused(cloud, asked, machine=machine))
