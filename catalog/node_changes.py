"""What a change does to running nodes: `node_changes.csv`, a row for properties of a type that have one effect.

Columns: type token; properties, as paths that hold for all below them, the longest path that fits counts, `*` is every
other; effect; source. In the table, `size` and `taints` hang on the value: a smaller number ends nodes, and a taint
NoExecute drains them. What no page tells of is taken to end jobs: a wrong yes costs a line in a spec, a wrong no every
job on the pool.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, cast

from gpucluster.catalog.rows import rows
from gpucluster.record import record

Effect = Literal["nothing", "fewer", "drain", "reboot", "rolling", "refused", "loss"]
EFFECTS: Final[tuple[Effect, ...]] = ("nothing", "fewer", "drain", "reboot", "rolling", "refused", "loss")
"""From the least to the worst. nothing: nodes and jobs stay. fewer: as many nodes go as are taken out of the number.
drain: nodes stay, pods end. reboot: nodes start again, one by one. rolling: nodes are replaced or reimaged, one by one.
refused: the cloud does not take it for a pool that stands. loss: the whole pool goes, and another is made.
"""

_IN_TABLE: Final = (*EFFECTS, "size", "taints")


@record(kw_only=True)
class NodeChange:
    """path: of the property, e.g. `nodeConfig.diskSizeGb`. fewer: nodes that go, where the number of them shrinks."""

    path: str
    effect: Effect
    fewer: int = 0


def node_changes(type_: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[NodeChange, ...]:
    """What differs, and what it does to nodes of the resource. A type that the table does not have is lost by anything.

    A value that is not known yet differs from every value that is.
    """
    return tuple(_change(type_, path, old, new) for path, old, new in _differing(before, after))


def ends_jobs(changes: Iterable[NodeChange]) -> tuple[NodeChange, ...]:
    """Those that end jobs, or would, and do not say so: of fewer nodes, the number itself tells."""
    return tuple(change for change in changes if change.effect not in ("nothing", "fewer"))


def worst(changes: Iterable[NodeChange]) -> Effect:
    """The effect of all of them together."""
    place = max((EFFECTS.index(change.effect) for change in changes), default=0)
    return EFFECTS[place]


@functools.cache
def covered() -> Mapping[str, Mapping[str, str]]:
    """Type token -> path -> effect, as the table has it."""
    found: dict[str, dict[str, str]] = {}
    for row in rows("node_changes"):
        if row["effect"] not in _IN_TABLE:
            raise row.bad("effect", f"write one of {', '.join(_IN_TABLE)}")
        found.setdefault(row["type"], {}).update(dict.fromkeys(row["properties"].split(), row["effect"]))
    return found


def _change(type_: str, path: str, old: Any, new: Any) -> NodeChange:
    effect = _listed(type_, path)
    if effect == "size":
        fewer = max(0, int(old - new)) if isinstance(old, int | float) and isinstance(new, int | float) else 0
        return NodeChange(path=path, effect="fewer" if fewer else "nothing", fewer=fewer)
    if effect == "taints":
        return NodeChange(path=path, effect="drain" if _evicting(new) - _evicting(old) else "nothing")
    return NodeChange(path=path, effect=cast(Effect, effect))


def _listed(type_: str, path: str) -> str:
    known = covered().get(type_)
    if known is None:
        return "loss"
    fitting = [prefix for prefix in known if path == prefix or path.startswith(f"{prefix}.")]
    return known[max(fitting, key=len, default="*")]


def _evicting(taints: Any) -> set[str]:
    """Those that end pods which do not tolerate them, as text, whatever the cloud; also what is not known yet."""
    if not isinstance(taints, list):
        return set() if taints is None else {"not known yet"}
    return {text for taint in cast(list[Any], taints) if "NOEXECUTE" in (text := str(taint)).upper().replace("_", "")}


def _differing(before: Mapping[str, Any], after: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, Any, Any]]:
    for key in sorted({*before, *after}):
        if key.startswith("__"):  # what a provider filled in, and where
            continue
        old, new = _plain(before.get(key)), _plain(after.get(key))
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from _differing(cast(Mapping[str, Any], old), cast(Mapping[str, Any], new), f"{at}{key}.")
        elif old != new:
            yield f"{at}{key}", old, new


def _plain(value: Any) -> Any:
    """The value without a provider's own marks and without what is not set."""
    if isinstance(value, Mapping):
        given = cast(Mapping[str, Any], value)
        return {key: _plain(item) for key, item in given.items() if not key.startswith("__") and item is not None}
    if isinstance(value, list):
        return [_plain(item) for item in cast(list[Any], value)]
    return value
