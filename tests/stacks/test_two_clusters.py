"""Two clusters in one project of Google Cloud, with one key: what one leaves behind for the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = [pytest.mark.engine, pytest.mark.slow]

EXAMPLES = Path(__file__).parents[2] / "examples/specs/gcp"
KEY = """
import pulumi
import pulumi_gcp as gcp

ring = gcp.kms.KeyRing("office-ring", location="us-central1")
pulumi.export("key", gcp.kms.CryptoKey("office-key", key_ring=ring.id).id)
"""
CONFIG = {"gcp:project": "my-project"}
PLACE = {"cloud": "gcp", "project": "my-project", "region": "us-central1", "zone": "us-central1-b"}


def test_a_second_cluster_of_a_project_comes_up_and_keeps_its_key_when_the_first_goes(project: Any) -> None:
    program = project.path / "stacks/__main__.py"
    ours = program.read_text()
    program.write_text(KEY)
    (project.path / "stacks/Pulumi.office.yaml").write_text(yaml.safe_dump({"config": CONFIG}))
    brought = project.pulumi("up", "--yes", "--skip-preview", stack="office")
    assert brought.code == 0, brought.text
    key = json.loads(project.pulumi("stack", "output", "--json", stack="office").out)["key"]

    program.write_text(ours)
    for name in ("bucket", "ultra"):
        spec = {**yaml.safe_load((EXAMPLES / f"{name}.yaml").read_text()), "secrets_key": key}
        (project.path / f"stacks/specs/{name}.yaml").write_text(yaml.safe_dump(spec))
        config = {f"gpucluster:{setting}": value for setting, value in {"spec": f"specs/{name}.yaml", **PLACE}.items()}
        (project.path / f"stacks/Pulumi.{name}.yaml").write_text(yaml.safe_dump({"config": config}))
        done = project.pulumi("up", "--yes", "--skip-preview", stack=name)
        assert done.code == 0, done.text
    [grant] = [item["id"] for item in project.ledger() if item["id"].startswith(f"{key}/")]
    assert "@container-engine-robot." in grant

    gone = project.pulumi("destroy", "--yes", "--skip-preview", stack="bucket")
    assert gone.code == 0, gone.text
    assert grant in [item["id"] for item in project.ledger()]
    kept = project.pulumi("preview", "--refresh", "--expect-no-changes", stack="ultra")
    assert kept.code == 0, kept.text
