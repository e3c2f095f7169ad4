"""Where the workloads of charts, add-ons and our manifests run, and the taints they tolerate: `workloads.csv`.

================ ======================================================================================================
column           meaning
================ ======================================================================================================
`package`        a chart without its repository, an EKS add-on, `KIND/NAME` of our object, or `gke` and `aks` for
                 what the cloud itself installs
`workload`       the object's name; RELEASE is the name of the release
`gpu_nodes`      `must`: it has to run on every GPU node, also on a broken one; `must not`: GPU nodes are for jobs
`tolerations`    `all`, `KEY` or `KEY:EFFECT`, with `*` for any key and `/SECONDS` where it ends; `{PATH|DEFAULT}` is
                 what the package's values, configuration or object has there, else the default, joined by `+`
`enabled_by`     path of the value without which there is no such workload, if it is false
`restricted`     whether its pods meet the pod security standard `restricted`: `yes`, `no`, or paths of the values that
                 must be set for it; empty if not known
`registries`     hosts of its images; empty if the cloud chooses them
`known_by`       `module`: a test renders the chart of a Go module; `chart`: read from the source; `ours`: a manifest
                 here; `cloud`: read from the source, nothing here declares it
================ ======================================================================================================
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from gpucluster.core.catalog.tables import rows

Toleration = Mapping[str, Any]
_FIXED: Final = re.compile(r"(?P<key>[^:/]+(?:/[^:/]+)?)(?::(?P<effect>\w+))?(?:/(?P<seconds>\d+))?")


@dataclass(frozen=True, kw_only=True)
class Workload:
    """One row, as above."""

    package: str
    workload: str
    kind: str
    gpu_nodes: Literal["must", "must not"]
    tolerations: str
    enabled_by: str
    restricted: str
    registries: tuple[str, ...]
    known_by: Literal["module", "chart", "ours", "cloud"]
    source: str

    def is_there(self, given: Mapping[str, Any]) -> bool:
        """Whether it is installed with these values."""
        return not self.enabled_by or _at(given, self.enabled_by) is not False

    def violates_restricted(self, given: Mapping[str, Any]) -> str:
        """Why its pods do not meet the standard `restricted` with these values; empty if they do, or if not known."""
        if self.restricted in ("", "yes"):
            return ""
        if self.restricted == "no":
            return "no value of its chart changes that"
        missing = [path for path in self.restricted.split() if _at(given, path) is None]
        return f"set {', '.join(f'values.{path}' for path in missing)}" if missing else ""

    def tolerated(self, given: Mapping[str, Any]) -> list[Toleration]:
        """Its tolerations. given: the values of its chart, the configuration of its add-on, or its object."""
        return [one for part in self.tolerations.split() for one in _tolerations(part, given)]


def tolerates(toleration: Toleration, taint: Mapping[str, str]) -> bool:
    """Whether a toleration keeps a pod on a node with this taint, not only for a while.

    Source: k8s.io/api/core/v1, Toleration.ToleratesTaint.
    """
    if "tolerationSeconds" in toleration or toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    if toleration.get("key") not in (None, "", taint["key"]):
        return False
    return toleration.get("operator") == "Exists" or (toleration.get("value") or "") == taint.get("value", "")


@functools.cache
def workloads() -> tuple[Workload, ...]:
    """All rows of `workloads.csv`, in its order."""
    return tuple(
        Workload(
            package=row["package"],
            workload=row["workload"],
            kind=row["kind"],
            gpu_nodes=cast("Literal['must', 'must not']", row["gpu_nodes"]),
            tolerations=row["tolerations"],
            enabled_by=row["enabled_by"],
            restricted=row["restricted"],
            registries=tuple(row["registries"].split()),
            known_by=cast("Literal['module', 'chart', 'ours', 'cloud']", row["known_by"]),
            source=row["source"],
        )
        for row in rows("workloads")
    )


def _at(given: Mapping[str, Any], path: str) -> Any:
    found: Any = given
    for key in path.split("."):
        found = cast("Mapping[str, Any]", found).get(key) if isinstance(found, Mapping) else None
    return found


def _tolerations(part: str, given: Mapping[str, Any]) -> Iterator[Toleration]:
    if not part.startswith("{"):
        yield _fixed(part)
        return
    path, _, default = part.strip("{}").partition("|")
    found = _at(given, path)
    yield from map(_fixed, filter(None, default.split("+"))) if found is None else cast("list[Toleration]", found)


def _fixed(text: str) -> Toleration:
    if text == "all":
        return {"operator": "Exists"}
    found = _FIXED.fullmatch(text)
    if found is None:
        raise ValueError(
            f"gpucluster/core/catalog/workloads.csv: tolerations has {text!r}; write all, KEY or KEY:EFFECT"
        )
    key, effect, seconds = found.group("key", "effect", "seconds")
    return {
        **({} if key == "*" else {"key": key}),
        "operator": "Exists",
        **({"effect": effect} if effect else {}),
        **({"tolerationSeconds": int(seconds)} if seconds else {}),
    }
