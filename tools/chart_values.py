"""Records the values that charts know, for `sandbox/clouds/kubernetes/chart_values.py`.

`python -m tools.chart_values` records the charts of Go modules anew. With NAME VERSION SOURCE FOLDER
it records the chart in a folder, as `helm pull --untar` writes it: no module has the others.
"""

from __future__ import annotations

import datetime
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from gpucluster.core.text.type_guards import is_object, items, mapping
from gpucluster.sandbox.clouds.kubernetes.chart_values import FILE
from gpucluster.sandbox.engine.find import say_on_stderr
from gpucluster.sandbox.live.charts import CHARTS, RENDERED, fetch

Values = dict[str, Any]
"""Key -> those below it; None if any value is taken there."""

_READ: Final = re.compile(r"\.Values((?:\.\w+)+)")
_NAMED: Final = re.compile(r"\$(\w+) := \.Values((?:\.\w+)+)(?= *-?}})")
_HEAD: Final = ("version", "source", "as_of")


def known_values(folder: Path) -> Values:
    """The values that a chart knows: a map that a template reads as a whole is open, and so is an empty one."""
    import yaml

    found = _keys(mapping(yaml.safe_load((folder / "values.yaml").read_text(encoding="utf-8"))))
    whole: set[tuple[str, ...]] = set()
    for file in sorted((folder / "templates").rglob("*.*")):
        for path in _READ.findall(_unnamed(file.read_text(encoding="utf-8"))):
            whole.add(tuple(path[1:].split(".")))
    for path in sorted(whole):
        _add(found, path)
    found = _closed(found, whole)
    schema = folder / "values.schema.json"
    if schema.is_file():
        given = json.loads(schema.read_text(encoding="utf-8"))
        found = _merged(found, _schema(given, given) or {})
    listed = items(mapping(yaml.safe_load((folder / "Chart.yaml").read_text(encoding="utf-8"))).get("dependencies"))
    for part in map(mapping, listed):
        name, alias = str(part["name"]), str(part.get("alias") or part["name"])
        inner = folder / "charts" / name
        found[alias] = _merged(known_values(inner), found.get(alias) or {}) if inner.is_dir() else None
    return {**found, "global": None}


def _unnamed(template: str) -> str:
    """With the path of each value in place of the variable that names it, unless that is read as a whole, too."""
    for name, path in _NAMED.findall(template):
        text = template.replace(f"${name} := .Values{path}", "")
        if re.search(rf"\${name}\b(?!\.\w)", text) is None:
            template = re.sub(rf"\${name}\b", f".Values{path}", text)
    return template


def _keys(given: Mapping[str, Any]) -> Values:
    return {str(key): _keys(value) if is_object(value) and value else None for key, value in given.items()}


def _add(found: Values, path: Sequence[str]) -> None:
    for key in path[:-1]:
        found[key] = found.get(key) or {}
        found = found[key]
    found.setdefault(path[-1], None)


def _closed(found: Values, whole: set[tuple[str, ...]], at: tuple[str, ...] = ()) -> Values:
    return {
        key: _closed(below, whole, (*at, key)) if below and (*at, key) not in whole else None
        for key, below in found.items()
    }


def _schema(part: Mapping[str, Any], whole: Mapping[str, Any]) -> Values | None:
    """The keys of a part of a JSON Schema."""
    named = str(part.get("$ref") or "").removeprefix("#/")
    if named:
        found: Any = whole
        for key in named.split("/"):
            found = mapping(found).get(key)
        return _schema(found, whole) if is_object(found) else None
    return {key: _schema(mapping(value), whole) for key, value in mapping(part.get("properties")).items()} or None


def _merged(one: Values, other: Values) -> Values:
    both = {key: (one.get(key, {}), other.get(key, {})) for key in (*one, *other)}
    return {key: _merged(*pair) if None not in pair else None for key, pair in both.items()}


def main(arguments: Sequence[str]) -> None:
    """Writes the file."""
    document: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    charts = (*CHARTS.values(), *RENDERED.values())
    given = [
        (chart.name, chart.version, f"{chart.module}, {chart.folder}", fetch(chart, say_on_stderr)) for chart in charts
    ]
    if arguments:
        name, version, source, folder = arguments
        given = [(name, version, source, Path(folder))]
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    for name, version, source, folder in given:
        values = known_values(folder)
        document[name] = {"version": version, "source": source, "as_of": today, "values": values}
    FILE.write_text(_text(document), encoding="utf-8")


def _text(document: Mapping[str, Any]) -> str:
    """JSON with a line for each value of a chart."""
    charts: dict[str, str] = {}
    for name, chart in sorted(document.items()):
        lines = {key: json.dumps(below, sort_keys=True) for key, below in sorted(chart["values"].items())}
        head = {key: json.dumps(chart[key]) for key in _HEAD}
        charts[name] = _object({**head, "values": _object(lines, 3)}, 2)
    return f"{_object(charts, 1)}\n"


def _object(lines: Mapping[str, str], depth: int) -> str:
    indent = "\n" + " " * depth
    return "{" + ",".join(f"{indent}{json.dumps(key)}: {text}" for key, text in lines.items()) + indent[:-1] + "}"


if __name__ == "__main__":
    main(sys.argv[1:])
