"""What a chart's program is asked, and its answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpucluster.sandbox.api_server.binaries import VERSION
from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.live import charts
from gpucluster.sandbox.live.charts import CHARTS

RELEASE = {"name": "queues", "namespace": "kueue-system", "values": {"replicas": 2}}
Rendered = Callable[[str], list[Any]]


@pytest.fixture
def rendered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rendered:
    """Renders a release by a shell script in place of Helm."""

    def run(script: str) -> list[Any]:
        program = tmp_path / "helm"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setattr(charts, "fetch", lambda chart, _: tmp_path / chart.name)
        monkeypatch.setattr(charts, "find_program", lambda name, _: tmp_path / {"render": "helm"}[name])
        return charts.render(CHARTS["kueue"], RELEASE, print)

    return run


def test_a_chart_is_rendered_with_name_namespace_version_and_values(rendered: Rendered, tmp_path: Path) -> None:
    assert rendered('echo "folder: $1"; echo ---; echo ---; cat') == [
        {"folder": str(tmp_path / "kueue")},
        {**RELEASE, "kubernetes": f"v{VERSION}"},
    ]


def test_what_helm_refuses_is_said_with_the_chart(rendered: Rendered) -> None:
    with pytest.raises(EngineError, match=r"kueue .* no such value"):
        rendered("echo no such value >&2; exit 1")
