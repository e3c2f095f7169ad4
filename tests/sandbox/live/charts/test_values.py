"""The values that a chart knows, from its files."""

from __future__ import annotations

import json
from pathlib import Path

from gpucluster.sandbox.live.charts.values import known_values

FILES = {
    "Chart.yaml": "dependencies: [{name: inner}, {name: packed, alias: short}]",
    "values.yaml": "image: {tag: a, more: {}}\nall: {one: 1}\nopen: {}\ninner: {added: 1}\n",
    "templates/a.yml": "{{ .Values.image.pull }} {{ toYaml .Values.all }} {{ $top.Values.unset.deep | quote }}",
    "values.schema.json": json.dumps(
        {"$ref": "#/$defs/top", "$defs": {"top": {"properties": {"image": {"properties": {"sum": {}}}, "last": {}}}}}
    ),
    "charts/inner/Chart.yaml": "name: inner",
    "charts/inner/values.yaml": "own: {a: 1}",
    "charts/inner/templates/b.yaml": "{{ .Values.own.b }}",
}


def test_a_chart_knows_what_its_values_its_templates_its_schema_and_its_parts_name(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert known_values(tmp_path) == {
        "image": {"tag": None, "more": None, "pull": None, "sum": None},
        "all": None,
        "open": None,
        "unset": {"deep": None},
        "last": None,
        "inner": {"added": None, "own": {"a": None, "b": None}, "global": None},
        "short": None,
        "global": None,
    }
