"""Label keys that prevent a machine from joining a cluster.

A kubelet does not start with most labels of the kubernetes.io and k8s.io domains in --node-labels.
Sources: kubernetes/kubernetes v1.34, cmd/kubelet/app/options/options.go (ValidateKubeletFlags) and
staging/src/k8s.io/kubelet/pkg/apis/well_known_labels.go; kubernetes-sigs/karpenter, pkg/apis/v1/labels.go
(LabelDomainExceptions: Karpenter sets those itself, so that no kubelet receives them).

Columns: type token; properties, as paths that include all below them, the longest matching path counts, `*` is every
other; effect; source. In the table, `size` and `taints` depend on the value: a smaller number removes nodes, and a
taint NoExecute drains them. Undocumented properties are assumed to end jobs: a wrong yes costs a line in a spec, a
wrong no every job on the pool.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from gpucluster.core.catalog.tables import rows

KUBELET_DOMAINS: Final = ("kubelet.kubernetes.io", "node.kubernetes.io")
KARPENTER_DOMAINS: Final = (
    *KUBELET_DOMAINS,
    "kops.k8s.io",
    "node-restriction.kubernetes.io",
    "node-role.kubernetes.io",
)

_RESERVED: Final = ("kubernetes.io", "k8s.io")
_WELL_KNOWN: Final = frozenset(
    (
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "beta.kubernetes.io/os",
        "failure-domain.beta.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "kubernetes.io/arch",
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/zone",
    )
)


def problem_of_node_label(key: str, domains: tuple[str, ...]) -> str | None:
    """The problem of a key on a machine, None without one; `domains` of kubernetes.io are allowed there."""
    domain = key.rpartition("/")[0]
    if key in _WELL_KNOWN or _in(domain, domains) or not _in(domain, _RESERVED):
        return None
    return f"is in a domain that Kubernetes reserves, so the node does not join; allowed there: {', '.join(domains)}"


def _in(domain: str, names: tuple[str, ...]) -> bool:
    return any(domain == name or domain.endswith(f".{name}") for name in names)


Effect = Literal["nothing", "fewer", "drain", "reboot", "rolling", "refused", "loss"]
EFFECTS: Final[tuple[Effect, ...]] = ("nothing", "fewer", "drain", "reboot", "rolling", "refused", "loss")
"""From best to worst. nothing: nodes and jobs stay. fewer: the number of nodes shrinks by as many.
drain: nodes stay, pods end. reboot: nodes restart, one by one. rolling: nodes are replaced or reimaged, one by one.
refused: the cloud does not accept it for an existing pool. loss: the whole pool is deleted, and another is created.
"""

_IN_TABLE: Final = (*EFFECTS, "size", "taints")


@dataclass(frozen=True, kw_only=True)
class NodeChange:
    """path: of the property, e.g. `nodeConfig.diskSizeGb`. fewer: number of removed nodes, if it shrinks."""

    path: str
    effect: Effect
    fewer: int = 0


def node_changes(type_: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[NodeChange, ...]:
    """Differences and their effect on nodes of the resource. Any change of a type missing in the table is a loss.

    An unknown value differs from every known one.
    """
    return tuple(_change(type_, path, old, new) for path, old, new in _differing(before, after))


def ends_jobs(changes: Iterable[NodeChange]) -> tuple[NodeChange, ...]:
    """Changes that end or would end jobs without showing it: a smaller number of nodes is visible as such."""
    return tuple(change for change in changes if change.effect not in ("nothing", "fewer"))


def worst(changes: Iterable[NodeChange]) -> Effect:
    """The combined effect of all of them."""
    place = max((EFFECTS.index(change.effect) for change in changes), default=0)
    return EFFECTS[place]


@functools.cache
def covered() -> Mapping[str, Mapping[str, str]]:
    """Type token -> path -> effect, as in the table."""
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
    """Taints that end pods without a toleration, as text, on any cloud; also unknown ones."""
    if not isinstance(taints, list):
        return set() if taints is None else {"not known yet"}
    return {text for taint in cast(list[Any], taints) if "NOEXECUTE" in (text := str(taint)).upper().replace("_", "")}


def _differing(before: Mapping[str, Any], after: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, Any, Any]]:
    for key in sorted({*before, *after}):
        if key.startswith("__"):  # a record of values that a provider filled in
            continue
        old, new = _plain(before.get(key)), _plain(after.get(key))
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from _differing(cast(Mapping[str, Any], old), cast(Mapping[str, Any], new), f"{at}{key}.")
        elif old != new:
            yield f"{at}{key}", old, new


def _plain(value: Any) -> Any:
    """The value without a provider's own marks and without unset members."""
    if isinstance(value, Mapping):
        given = cast(Mapping[str, Any], value)
        return {key: _plain(item) for key, item in given.items() if not key.startswith("__") and item is not None}
    if isinstance(value, list):
        return [_plain(item) for item in cast(list[Any], value)]
    return value
