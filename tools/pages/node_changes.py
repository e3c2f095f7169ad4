"""Writes docs/node-changes.md: effects of changes on running nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.tables import Row, rows

_EFFECTS: Final = {
    "nothing": "nothing: nodes and jobs stay",
    "size": "more nodes: nothing; fewer: the removed nodes end with their jobs",
    "taints": "nothing; a new `NoExecute` taint ends the pods that do not tolerate it",
    "reboot": "reboot: nodes reboot, one by one",
    "rolling": "rolling: nodes are replaced or reimaged, one by one",
    "refused": "refused: the cloud accepts it for new pools only",
    "loss": "loss: the pool is deleted, and another is created",
}
_ORDER: Final = tuple(_EFFECTS)


def page() -> str:
    """The text."""
    lines = [
        "# Effects of pool changes on running nodes",
        "",
        "Written by `make docs` from "
        "[`gpucluster/core/catalog/node_changes.csv`](../gpucluster/core/catalog/node_changes.csv). Previews, "
        "`gpucluster guardrails check` and the check of a pull request use the same table. See [changing a "
        "cluster](changing-a-cluster.md).",
    ]
    found = rows("node_changes")
    for cloud in clouds().values():
        own = [row for row in found if row["type"].startswith(f"{cloud.package}:")]
        for type_ in dict.fromkeys(row["type"] for row in own):
            lines += ["", f"## {cloud.title}: `{type_}`", "", "| property | effect on nodes | source |"]
            lines += ["| --- | --- | --- |", *_table([row for row in own if row["type"] == type_])]
    return "\n".join([*lines, ""])


def _table(own: list[Row]) -> Iterator[str]:
    for row in sorted(own, key=lambda row: (_ORDER.index(row["effect"]), row["properties"] == "*")):
        named = ", ".join(f"`{name}`" for name in row["properties"].split())
        what = "all others" if row["properties"] == "*" else named
        yield f"| {what} | {_EFFECTS[row['effect']]} | {row['source']} |"
