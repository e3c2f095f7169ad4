"""The inputs of resource types, as the installed SDKs declare them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_PACKAGES = {"aws": "pulumi_aws", "azure-native": "pulumi_azure_native", "gcp": "pulumi_gcp"}
_GETTER = re.compile(r'@pulumi\.getter(?:\(name="(\w+)"\))?\n    def (\w+)\(self\) -> (.*):\n')
_DEEPEST = 6
_RENAMED = {"lambda": "lambda_", "documentdb": "cosmosdb", "insights": "applicationinsights"}
"""Modules with another folder, and former modules of types."""
_MOVED = {"azure-native:network:PrivateZone": "azure-native:privatedns:PrivateZone"}
KINDS = ("Sequence", "Mapping", "_builtins.bool", "_builtins.int", "_builtins.float", "_builtins.str")

Path_ = tuple[str, ...]
"""Names of inputs; a list of objects ends with `[]`."""


@cache
def inputs_of(type_: str) -> Mapping[Path_, str]:
    """Path of each input without inputs of its own -> the first of `KINDS` in its annotation, empty for another."""
    type_ = _MOVED.get(type_, type_)
    package, module, name = type_.split(":")
    folder = _folder(package, module.partition("/")[0])
    file = folder / f"{_snake(name)}.py"
    if not file.is_file():
        file = next(found for found in sorted(folder.glob("*.py")) if f"'{type_}'" in found.read_text())
    of = next(block for made, block in _classes(file).items() if made.endswith("Args"))
    return dict(_leaves(of, folder, (), frozenset()))


def _folder(package: str, module: str) -> Path:
    found = find_spec(_PACKAGES[package])
    assert found is not None and found.submodule_search_locations
    root = Path(found.submodule_search_locations[0])
    return next(one for one in (root / _RENAMED.get(module, module).lower(), root / _snake(module)) if one.is_dir())


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


@cache
def _classes(file: Path) -> Mapping[str, str]:
    blocks = re.split(r"^class ", file.read_text() if file.is_file() else "", flags=re.MULTILINE)[1:]
    return {re.match(r"\w+", block)[0]: block for block in blocks}  # type: ignore[index]


def _leaves(block: str, folder: Path, path: Path_, above: frozenset[str]) -> Iterator[tuple[Path_, str]]:
    objects = _classes(folder / "_inputs.py")
    for camel, snake, annotation in _GETTER.findall(block):
        name = camel or snake.rstrip("_")
        inner = next((one for one in re.findall(r"'(?:[\w.]*\.)?(\w+Args)'", annotation) if one in objects), None)
        if inner is None:
            yield (*path, name), next((kind for kind in KINDS if kind in annotation), "")
        elif inner not in above and len(path) < _DEEPEST:
            step = f"{name}[]" if "Sequence" in annotation else name
            yield from _leaves(objects[inner], folder, (*path, step), above | {inner})
