"""The values that a chart knows, from its files."""

from __future__ import annotations

import json
from pathlib import Path

from tools.chart_values import known_values

FILES = {
    "Chart.yaml": "dependencies: [{name: inner}, {name: packed, alias: short}]",
    "values.yaml": "image: {tag: a}\nall: {one: 1}\nopen: {}\nnamed: {a: 1}\npassed: {a: 1}\ninner: {added: 1}\n",
    "templates/_helpers.tpl": "{{- $n := .Values.named -}}{{ $n.b.c }}{{ $p := .Values.passed }}{{ toYaml $p }}",
    "templates/a.yml": "{{ .Values.image.pull }} {{ toYaml .Values.all }} {{ $top.Values.unset.deep | quote }}",
    "values.schema.json": json.dumps({"$ref": "#/a", "a": {"properties": {"image": {"properties": {"sum": {}}}}}}),
    "charts/inner/Chart.yaml": "name: inner",
    "charts/inner/values.yaml": "own: {a: 1}",
    "charts/inner/templates/b.yaml": "{{ .Values.own.b }}",
}
OPEN = dict.fromkeys(("all", "open", "passed", "short", "global"))


def test_a_chart_knows_what_its_values_its_templates_its_schema_and_its_parts_name(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    image, deep = dict.fromkeys(("tag", "pull", "sum")), {"deep": None}
    inner = {"added": None, "own": {"a": None, "b": None}, "global": None}
    named = {"a": None, "b": {"c": None}}
    assert known_values(tmp_path) == {**OPEN, "image": image, "named": named, "unset": deep, "inner": inner}
