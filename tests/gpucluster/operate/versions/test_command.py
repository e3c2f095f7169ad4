"""`gpucluster versions`: what it prints, and its JSON."""

from __future__ import annotations

import datetime
import json
from dataclasses import replace

import jsonschema
import pytest
from click.testing import CliRunner

from gpucluster.core.catalog.versions import KnownVersion
from gpucluster.core.documents.formats import written
from gpucluster.operate.versions.command import document, versions, versions_schema
from gpucluster.operate.versions.pins import Pin, pins

DAY = datetime.date(2026, 11, 28)


def known(kind: str, name: str, version: str, ends: str = "", stays: str = "") -> KnownVersion:
    return KnownVersion(
        kind=kind,
        name=name,
        kubernetes="",
        version=version,
        pin="",
        released=datetime.date(2026, 1, 2),
        standard_ends=datetime.date.fromisoformat(ends) if ends else None,
        extended_ends=None,
        stays=stays,
        source="a page",
        as_of="2026-11-01",
    )


OLD = known("kubernetes", "aws", "1.35", ends="2026-11-27")
PINS = (
    Pin(kind="kubernetes", name="aws", version="1.35", newest=replace(OLD, version="1.36", stays="because"), known=OLD),
    Pin(kind="chart", name="kueue", version="0.19.7", newest=known("chart", "kueue", "0.19.7"), known=None),
    Pin(kind="package", name="pulumi-gcp", version="", newest=known("package", "pulumi-gcp", "10.2.0"), known=None),
    Pin(
        kind="image",
        name="example.com/a/python",
        version="3.13-slim",
        newest=known("image", "example.com/a/python", "3.14", stays="because"),
        known=known("image", "example.com/a/python", "3.13", ends="2026-11-01"),
    ),
)
TEXT = """\
                                                   in use     newer   looked up
Kubernetes
  EKS                                              1.35       1.36    2026-11-01
      standard support ended on 2026-11-27

Helm charts
  kueue                                            0.19.7             2026-11-01

Python packages
  pulumi-gcp                                       -          10.2.0  2026-11-01

Images
  python                                           3.13-slim  3.14    2026-11-01
      support ended on 2026-11-01

4 versions: 2 behind, 2 out of standard support on 2026-11-28

Why newer ones are not in use
  - EKS, python: because"""


def test_it_says_what_is_behind_and_what_is_out_of_support() -> None:
    assert written(document(PINS, DAY), "table", 80) == TEXT


def test_json_has_every_fact_of_a_version() -> None:
    found = json.loads(written(document(PINS, DAY), "json"))
    assert (found["schema_version"], found["today"], len(found["versions"])) == (1, "2026-11-28", 4)
    assert found["versions"][0] == {
        "kind": "kubernetes",
        "name": "aws",
        "version": "1.35",
        "newest": "1.36",
        "released": "2026-01-02",
        "behind": True,
        "stays": "because",
        "support": "extended",
        "support_ends": "2026-11-27",
        "source": "a page",
        "as_of": "2026-11-01",
    }
    assert [one["support"] for one in found["versions"]] == ["extended", "not known", "not known", "none"]
    assert found["versions"][2]["version"] is None


def test_it_fits_a_terminal_of_80_columns() -> None:
    text = written(document(pins(), DAY), "table", 80)
    assert [line for line in text.splitlines() if len(line) > 80] == []
    assert [one.name for one in pins() if one.kind == "add-on" and one.name not in text] == []


@pytest.mark.parametrize("form", ["table", "json"])
def test_the_command_prints_all_of_them(form: str) -> None:
    done = CliRunner().invoke(versions, ["--format", form])
    assert done.exit_code == 0, done.output
    if form == "json":
        found = json.loads(done.output)
        jsonschema.validate(found, versions_schema())
        assert len(found["versions"]) == len(pins())
    else:
        assert f"{len(pins())} versions: " in done.output
