"""Everything that is pinned, with the newest known version and the end of its support."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from gpucluster.components.cluster.versions import KUBERNETES
from gpucluster.components.kubernetes.objects.charts import CHARTS
from gpucluster.core.catalog.kubernetes_versions import builds_of
from gpucluster.core.catalog.tables import DamagedTable, packaged
from gpucluster.core.catalog.versions import KnownVersion, known_versions, order


@dataclass(frozen=True, kw_only=True)
class Pin:
    """version: in use; empty if the package is not installed or EKS chooses the build. newest: the newest known one.
    known: the row with the end of support of the version in use, None without any.
    """

    kind: str
    name: str
    version: str
    newest: KnownVersion
    known: KnownVersion | None

    @property
    def behind(self) -> bool:
        """Whether a newer version is known."""
        return bool(self.version) and order(self.version) < order(self.newest.version)

    @property
    def ends(self) -> datetime.date | None:
        """The last day of standard support, if known."""
        return self.known and self.known.standard_ends

    def support(self, today: datetime.date) -> str:
        """standard, extended, none or not known."""
        return self.known.support(today) if self.known else "not known"


def pins() -> Sequence[Pin]:
    """In the order of the table of versions. DamagedTable if the file of a version in use lacks it."""
    return [_pin(kind, name, known) for (kind, name), known in known_versions().items()]


def _pin(kind: str, name: str, known: Sequence[KnownVersion]) -> Pin:
    if kind == "add-on":
        known = [one for one in known if one.kubernetes == KUBERNETES]
    used = _version(kind, name, known[-1].pin)
    fitting = [one for one in known if order(used)[: len(order(one.version))] == order(one.version)]
    return Pin(kind=kind, name=name, version=used, newest=known[-1], known=max(fitting, key=_length, default=None))


def _length(one: KnownVersion) -> int:
    return len(order(one.version))


def _version(kind: str, name: str, file: str) -> str:
    """The version in use."""
    match kind:
        case "kubernetes":
            return KUBERNETES
        case "add-on":
            return builds_of(name, KUBERNETES).pinned or ""
        case "chart":
            return CHARTS[name].version
        case "package":
            try:
                return version(name)
            except PackageNotFoundError:
                return ""
        case _:
            # `module v1.2.3` of a go.mod, `module,v1.2.3` of a table, `image:tag`, or `alias@v20260714`
            found = re.search(rf"(?<![\w./-]){re.escape(name)}(?: |,|:|@v)(v?\d[\w.-]*)", _text(file))
            if found is None:
                raise DamagedTable(f"versions.csv: {file} has no version of {name}; correct `pin` or `name`")
            return found[1]


def _text(file: str) -> str:
    return packaged(file).read_text(encoding="utf-8")
