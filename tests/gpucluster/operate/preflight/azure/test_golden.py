"""What is asked of a subscription, for specs of 1 to 128 nodes: the exact names and amounts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gpucluster.operate.preflight.document import needed
from tests.gpucluster.operate.preflight.azure.subscription import LINKED, PEERED, RESERVED, ROUTED, SPOT, questions

FILE = Path(__file__).parent / "azure.txt"


def _nodes(count: int) -> dict[str, Any]:
    return {"training": {"nodes": count, "fabric_gbps": 1600 if count > 1 else 0}}


CASES: Mapping[str, Mapping[str, Any]] = {
    "1 node on demand": _nodes(1),
    "4 nodes on demand": _nodes(4),
    "32 nodes on demand": _nodes(32),
    "128 nodes on demand": {**_nodes(128), "place": {"scale_set_limit": 128}},
    "4 nodes in a reservation": {**_nodes(4), **RESERVED},
    "4 nodes in a capacity block": {**_nodes(4), **RESERVED, "purchase": {"kind": "capacity-block"}},
    "4 nodes and spot for jobs of one node": {**_nodes(4), **SPOT},
    "4 nodes in your network": {**_nodes(4), **ROUTED},
    "4 nodes in a peered network, with a linked container": {**_nodes(4), **PEERED, **LINKED},
}


def _text() -> Iterator[str]:
    for name, changes in CASES.items():
        yield f"{name}\n"
        for one in questions(**changes):
            place = f", {one.place}" if one.place else ""
            decides = "" if one.decides else " (does not decide)"
            details = "".join(f"\n    {key}: {value}" for key, value in one.details.items() if value)
            yield f"  {one.about}: {one.subject}{place}: {needed(one)}{decides}{details}\n"
        yield "\n"


def test_names_and_amounts_are_these() -> None:
    """UPDATE_GOLDEN=1 writes them anew."""
    text = "".join(_text())
    if os.environ.get("UPDATE_GOLDEN"):
        FILE.write_text(text, encoding="utf-8")
    assert text == FILE.read_text(encoding="utf-8")
