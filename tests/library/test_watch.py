"""The cost of a program and of parts of it, and what is left of a program that is refused, on the real engine."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

Sandbox = Callable[..., Any]

TOTAL = "Total   $41,378.00 a month"
HEAD = """\
import pulumi
import pulumi_aws as aws

import gpucluster

aws.ec2.Eip("before", domain="vpc")
"""
BUDGET = """\
class Cluster(pulumi.ComponentResource):
    def __init__(self) -> None:
        super().__init__("my:own:Cluster", "mine", {"budget": {"monthly": "1", "onExceed": "fail"}})
        aws.ec2.Eip("inside", domain="vpc", opts=pulumi.ResourceOptions(parent=self))

with gpucluster.watch():
    Cluster()
"""

pytestmark = pytest.mark.engine


def built(folder: Path) -> list[str]:
    """Logical names of what exists in the simulated clouds."""
    with sqlite3.connect(folder / ".sandbox" / "clouds.sqlite3") as ledger:
        return sorted(urn.rsplit("::", 1)[1] for (urn,) in ledger.execute("SELECT urn FROM resources"))


def test_a_part_of_a_program_is_priced_alone(sandbox: Sandbox) -> None:
    program = """\
with gpucluster.watch():
    aws.ec2.Eip("inside", domain="vpc")
with gpucluster.watch(export=False) as second:
    aws.ec2.Eip("one", domain="vpc")
    aws.ec2.Eip("two", domain="vpc")
aws.ec2.Eip("after", domain="vpc")
pulumi.export("second", second["monthly"])
"""
    done = sandbox(HEAD + program, "preview")
    assert done.code == 0, done.text
    outputs = dict(re.findall(r'^    (\w+) *: "([\d.]+)"$', done.text, re.MULTILINE))
    assert (outputs["monthly"], outputs["second"]) == ("3.65", "7.30")
    assert done.text.count(": list prices in USD") == 2


CLUSTERS = """\
from gpucluster.aws import Location, TrainingCluster

spec = {
    "training": {"nodes": 1},
    "storage": {"shared": {"usable_tib": 2}},
    "access": {"kind": "public", "cidrs": ["203.0.113.0/24"]},
}
TrainingCluster("one", spec, Location(region="us-east-1", zone="us-east-1a"))
"""
ANOTHER = 'TrainingCluster("two", spec, Location(region="us-east-1", zone="us-east-1b"))\n'


def test_clusters_price_themselves_with_one_total_and_the_change_since_the_update(sandbox: Sandbox) -> None:
    first = sandbox(HEAD + CLUSTERS, "up", "--yes", "--skip-preview")
    assert first.code == 0, first.text
    assert re.findall(r"^Total  .*", first.text, re.MULTILINE) == [TOTAL]
    change = sandbox(HEAD + CLUSTERS + ANOTHER, "preview")
    assert change.code == 0, change.text
    assert re.findall(r"^Total  .*", change.text, re.MULTILINE) == [
        "Total   $82,756.00 a month (+$41,378.00, +100.0% since the last update)"
    ]
    assert change.text.count("Cost of the clusters") == 1
    assert change.text.rstrip().splitlines()[-1] == "Next    gpucluster sandbox pulumi up --stack dev"
    watched = sandbox(HEAD + f"with gpucluster.watch():\n{indent(CLUSTERS, '    ')}", "preview")
    assert re.findall(r"^Total  .*", watched.text, re.MULTILINE) == [f"{TOTAL} (unchanged since the last update)"]


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (BUDGET, "error: over budget by $2.65"),
        ('with gpucluster.watch():\n    aws.ec2.Eip("inside", domain="vpc")\n    1 / 0\n', "ZeroDivisionError"),
        (
            'pulumi.export("monthly", "1")\nwith gpucluster.watch():\n    aws.ec2.Eip("inside", domain="vpc")\n',
            "error: the stack has an output monthly already; write gpucluster.watch(export=False)",
        ),
    ],
    ids=["over budget", "an error inside", "outputs that are there"],
)
def test_nothing_of_what_is_refused_is_built_even_without_a_preview(
    program: str, words: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    done = sandbox(HEAD + program, "up", "--yes", "--skip-preview")
    assert done.code != 0
    assert words in done.text, done.text
    assert built(tmp_path) == ["before"]


def test_wrong_input_is_told_once_without_a_traceback_and_builds_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    program = """\
from gpucluster.aws import Location, TrainingCluster

TrainingCluster("trial", {"training": {"nodes": 0}}, Location(region="us-east-1", zone="us-east-1a"))
"""
    done = sandbox(HEAD + program, "up", "--yes", "--skip-preview")
    assert done.code == 2
    by_the_engine, closing = done.text.split("\nFailed")
    problem = "training.nodes is 0; write a whole number from 1 to 4,096"
    assert (by_the_engine.count(problem), closing.count(problem)) == (1, 0)
    assert "Traceback" not in done.text
    assert built(tmp_path) == ["before"]
