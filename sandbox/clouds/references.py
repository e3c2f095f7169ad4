"""The texts at a path of inputs, for rules about references to other resources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpucluster.sandbox.type_guards import items, mapping


def texts(value: Any, path: str) -> Iterator[str]:
    """Every text at a path without numbers of list items, such as `vpcConfig.subnetIds[]`."""
    name, _, rest = path.partition(".")
    inner = mapping(value).get(name.removesuffix("[]"))
    for item in items(inner) if name.endswith("[]") else [inner]:
        if rest:
            yield from texts(item, rest)
        elif isinstance(item, str):
            yield item
