"""Refuses values that a Helm chart does not know, which Helm ignores silently, and configuration that an
add-on of EKS does not know: `chart_values.json`.

The file has for each chart the keys of its values.yaml, of its values.schema.json and of what its templates read; null
where a chart takes any. `tools/chart_values.py` records them. They apply to every patch of the version.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from gpucluster.core.catalog.kubernetes_versions import builds_of, kubernetes_versions
from gpucluster.core.text.type_guards import is_object, mapping
from gpucluster.sandbox.clouds.kubernetes.definitions import known_chart
from gpucluster.sandbox.clouds.types.validate import Failure, nearest
from gpucluster.sandbox.clouds.types.values import plain

FILE: Final = Path(__file__).with_suffix(".json")


@functools.cache
def recorded() -> Mapping[str, Mapping[str, Any]]:
    """Chart, as `known_chart` names it -> version, source, as_of and values."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def unknown_values(release: Mapping[str, Any]) -> Iterator[Failure]:
    """Those of a release, if its chart is recorded in its version. release: its inputs."""
    chart, version = known_chart(release), str(release.get("version") or "")
    known = recorded().get(chart)
    if known is not None and same_line(version, known["version"]):
        # Helm itself reads `tags`, which switch parts of a chart.
        values = {**known["values"], "tags": None}
        yield from _unknown(mapping(plain(release.get("values"))), values, "values", f"the chart {chart} {version}")


def unknown_configuration(addon: Mapping[str, Any]) -> Iterator[Failure]:
    """Those of an add-on of EKS that not even its chart knows, of which EKS accepts a part. addon: its inputs.

    Only of pinned builds, for which the charts are recorded: other builds may know other values.
    """
    name, build = str(addon.get("addonName")), plain(addon.get("addonVersion"))
    known = recorded().get(name)
    if known is not None and any(builds_of(name, one).pinned == build for one in kubernetes_versions("aws") if build):
        given = mapping(_read(plain(addon.get("configurationValues"))))
        yield from _unknown(given, known["values"], "configurationValues", f"the add-on {name}")


def _read(text: Any) -> Any:
    """JSON or YAML; None for what is neither, which EKS judges itself."""
    import yaml

    try:
        return json.loads(text)
    except (TypeError, ValueError):
        pass
    try:
        return yaml.safe_load(text) if isinstance(text, str) else None
    except yaml.YAMLError:
        return None


def same_line(version: str, other: str) -> bool:
    """Whether two versions differ at most in their patch."""
    one, two = (text.removeprefix("v").split(".")[:2] for text in (version, other))
    return one == two


def _unknown(given: Mapping[str, Any], known: Mapping[str, Any], path: str, chart: str) -> Iterator[Failure]:
    for key, value in given.items():
        where = f"{path}.{key}"
        if key not in known:
            yield Failure(where, f"{chart} has no value {key!r} here{nearest(key, known)}")
        elif is_object(value) and known[key] is not None:
            yield from _unknown(value, known[key], where, chart)
