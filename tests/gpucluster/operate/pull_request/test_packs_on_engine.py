"""A policy pack on Pulumi's SDK, run by the engine on both sides of a change."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpucluster.operate.pull_request.previews import evidence_of

PROGRAM = 'import pulumi_aws as aws\n\naws.s3.Bucket("data")\n'
PACK = """\
from pulumi_policy import EnforcementLevel, PolicyPack, ResourceValidationPolicy, StackValidationPolicy

def tagged(args, report):
    if args.resource_type == "aws:s3/bucket:Bucket" and not args.props.get("tags"):
        report("no tags")

def few(args, report):
    count = sum(one.resource_type == "aws:s3/bucket:Bucket" for one in args.resources)
    if count > 1:
        report(f"{count} buckets")

PolicyPack("acme", policies=[
    ResourceValidationPolicy("tagged", "Buckets have tags", tagged, EnforcementLevel.MANDATORY),
    StackValidationPolicy("few", "Few buckets", few, EnforcementLevel.ADVISORY),
])
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a program and a pack that names the program's environment, which git ignores."""
    root = tmp_path / "shop"
    (root / "acme").mkdir(parents=True)
    (root / ".venv").symlink_to(sys.prefix)
    runtime = {"name": "python", "options": {"toolchain": "pip", "virtualenv": ".venv"}}
    (root / "Pulumi.yaml").write_text(json.dumps({"name": "shop", "runtime": runtime}))
    (root / "Pulumi.dev.yaml").write_text(json.dumps({"config": {"aws:region": "us-east-1"}}))
    (root / "__main__.py").write_text(PROGRAM)
    runtime["options"] = {"toolchain": "pip", "virtualenv": "../.venv"}
    (root / "acme/PulumiPolicy.yaml").write_text(json.dumps({"runtime": runtime}))
    (root / "acme/__main__.py").write_text(PACK)
    (root / ".gitignore").write_text(".venv\n")
    for command in (["init", "-qb", "main"], ["add", "-A"], ["commit", "-qm", "first"]):
        settings = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *settings, *command], cwd=root, check=True)
    return root


@pytest.mark.engine
@pytest.mark.slow
def test_the_pack_of_the_base_judges_both_sides(project: Path) -> None:
    (project / "__main__.py").write_text(f'{PROGRAM}aws.s3.Bucket("more")\n')
    (project / "acme/__main__.py").write_text("raise SystemExit(1)  # a change cannot edit its own judge\n")
    found = evidence_of(project, "main", stacks=[], setup="", say=[].append, packs=[project / "acme"])
    [dev] = found.stacks
    before, after = (
        sorted((one.policy, one.level, one.resource, one.message) for one in side)
        for side in (dev.packs_before, dev.packs_after)
    )
    assert dev.packs_problem == ""
    assert before == [("tagged", "mandatory", "data", "Buckets have tags\nno tags")]
    assert ("tagged", "mandatory", "data", "Buckets have tags\nno tags") in after
    assert ("tagged", "mandatory", "more", "Buckets have tags\nno tags") in after
