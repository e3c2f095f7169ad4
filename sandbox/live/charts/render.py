"""Renders the objects that Helm would send to the API server for a release of the stack."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.api_server.binaries import VERSION
from gpucluster.sandbox.clouds.kubernetes.objects import name_of, namespace_of
from gpucluster.sandbox.engine.model import EngineError
from gpucluster.sandbox.engine.progress import Say
from gpucluster.sandbox.live.charts.fetch import Chart, fetch
from gpucluster.sandbox.live.programs import find_program
from gpucluster.sandbox.type_guards import mapping

_SECONDS: Final = 60


def render(chart: Chart, release: Mapping[str, Any], say: Say) -> list[Mapping[str, Any]]:
    """The objects of a release. release: its inputs. Raises EngineError with Helm's message."""
    import yaml

    folder = fetch(chart, say)
    asked = {
        "name": name_of(release),
        "namespace": namespace_of(release),
        "kubernetes": f"v{VERSION}",
        "values": dict(mapping(release.get("values"))),
    }
    command = [str(find_program("render", say)), str(folder)]
    done = subprocess.run(
        command, input=json.dumps(asked), capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    if done.returncode != 0:
        why = done.stderr.strip()
        raise EngineError(f"The chart {chart.name} {chart.version} refuses the values of the stack: {why}")
    loaded = yaml.load_all(done.stdout, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return [document for document in loaded if document]
