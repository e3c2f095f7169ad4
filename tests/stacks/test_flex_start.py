"""A cluster of flex-start nodes, whose pool GKE upgrades in its own way."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = [pytest.mark.engine, pytest.mark.slow]

SPEC = Path(__file__).parents[2] / "examples/specs/gcp/flex-start.yaml"
PLACE = {"cloud": "gcp", "project": "my-project", "region": "us-central1", "zone": "us-central1-b"}


def test_a_preview_of_a_flex_start_cluster_that_stands_shows_no_change(project: Any) -> None:
    shutil.copy(SPEC, project.path / "stacks/specs")
    config = {f"gpucluster:{setting}": value for setting, value in {"spec": "specs/flex-start.yaml", **PLACE}.items()}
    (project.path / "stacks/Pulumi.flex.yaml").write_text(yaml.safe_dump({"config": config}))
    done = project.pulumi("up", "--yes", "--skip-preview", stack="flex")
    assert done.code == 0, done.text
    again = project.pulumi("preview", "--expect-no-changes", stack="flex")
    assert again.code == 0, again.text
