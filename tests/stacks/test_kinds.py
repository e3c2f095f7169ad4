"""Every way to buy, place and store, from `examples/specs/aws`, on the real engine: built as its page in
`docs/examples` says, destroyed; some of them unchanged between, one for each way to place.

A kind is an example, with a machine behind `@` where the stack's configuration names one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpucluster.core.program.closing import OUTPUT_VARIABLE

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]
KINDS = [
    "a100",
    "a100-40gb",
    "capacity-block-active",
    "elastic-pools",
    "h200",
    "h200@p5e.48xlarge",
    "mig",
    "on-demand-group",
    "on-demand-group@p5.4xlarge",
    "reservation",
    "reservation-in-group",
    "single-node",
    "storage-fast",
]
PLACED = {"on-demand-group", "reservation", "reservation-in-group", "h200"}
"""Those that are previewed again once they stand; the others differ from them in machines, storage and price only."""
TODAY = """
import json, sys
from tools.pages.examples import examples, page_of
found = [example for example in examples() if example.cloud == "aws" and example.spec.stem in sys.argv[1:]]
print(json.dumps({example.spec.stem: page_of(example)[0] for example in found}))
"""


@pytest.fixture
def kind(request: pytest.FixtureRequest, tmp_path: Path, copy: Callable[[Path], Any]) -> Any:
    """A project whose stack stands for one of the kinds."""
    example, _, machine = request.param.partition("@")
    project = copy(tmp_path)
    shutil.copy(ROOT / f"examples/specs/aws/{example}.yaml", project.path / "stacks/specs/trial.yaml")
    if machine:
        with (project.path / "stacks/Pulumi.aws-trial.yaml").open("a") as file:
            file.write(f"  gpucluster:machine: {machine}\n")
    return project


@pytest.fixture(scope="module")
def todays_pages() -> dict[str, str]:
    """The pages of the kinds as `make docs` would write them today, by example."""
    command = [sys.executable, "-c", TODAY, *(name for name in KINDS if "@" not in name)]
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    environment[OUTPUT_VARIABLE] = "full"
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.usefixtures("full_output")
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, indirect=True)
def test_each_kind_is_built_as_promised_and_goes(
    kind: Any, todays_pages: dict[str, str], request: pytest.FixtureRequest
) -> None:
    name = request.node.callspec.params["kind"]
    unseen = ("--skip-preview",) if "@" in name else ()  # its page shows the preview
    made = kind.pulumi("up", "--yes", *unseen, "--policy-pack", "policies")
    assert made.code == 0, made.text
    assert "[mandatory]" not in made.text
    if not unseen:
        [promised] = re.findall(
            r"^\$ \S+ pulumi preview .*?\n(.*?)\n```$", todays_pages[name], re.DOTALL | re.MULTILINE
        )
        shown = {line.strip() for line in made.out.splitlines()}
        lines = [line for line in promised.splitlines() if not line.startswith("Next ")]  # `up` knows another one
        assert [line for line in lines if line.strip() not in shown] == [], made.out
    if name in PLACED:
        after = kind.pulumi("preview", "--expect-no-changes")
        assert after.code == 0, after.text
    gone = kind.pulumi("destroy", "--yes", "--skip-preview")
    assert gone.code == 0, gone.text
    assert kind.ledger() == []


@pytest.mark.core
@pytest.mark.usefixtures("full_output")
@pytest.mark.parametrize("kind", ["capacity-block"], indirect=True)
def test_a_capacity_block_gets_its_nodes_in_place_once_it_has_begun(kind: Any) -> None:
    made = kind.pulumi("up", "--yes", "--skip-preview", "--policy-pack", "policies")
    assert made.code == 0, made.text
    assert "5 nodes need a capacity block of 8 instances" in made.out
    assert kind.pulumi("preview", "--expect-no-changes").code == 0
    kind.change("stacks/specs/trial.yaml", "active: false", "active: true")
    changed = {step["urn"].split("::")[-1]: step["op"] for step in kind.plan()["steps"] if step["op"] != "same"}
    assert changed == {"block": "update", "block-training-nodes": "update"}
    begun = kind.pulumi("up", "--yes", "--skip-preview", "--policy-pack", "policies")
    assert begun.code == 0, begun.text
    gone = kind.pulumi("destroy", "--yes", "--skip-preview")
    assert gone.code == 0, gone.text
    assert kind.ledger() == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["storage-bucket-home"], indirect=True)
def test_destroy_keeps_what_is_protected_names_it_and_says_how_to_release_it(kind: Any) -> None:
    made = kind.pulumi("up", "--yes", "--skip-preview", "--policy-pack", "policies")
    assert made.code == 0, made.text
    first = kind.pulumi("destroy", "--yes", "--skip-preview", "--exclude-protected")
    assert first.code == 0, first.text
    kept = {entry["type"] for entry in kind.ledger()}
    assert {"aws:fsx/lustreFileSystem:LustreFileSystem", "aws:efs/fileSystem:FileSystem"} <= kept
    assert "aws:eks/cluster:Cluster" not in kept
    state = json.loads(kind.pulumi("stack", "export").out)
    protected = [item["urn"] for item in state["deployment"]["resources"] if item.get("protect")]
    assert [urn.rsplit("::", 1)[1] for urn in sorted(protected)] == ["data-home-files", "data-storage-shared"]
    said = [line.strip() for line in first.err.splitlines() if "state unprotect" in line]
    assert sorted(said) == [
        f"gpucluster sandbox pulumi state unprotect --yes --stack aws-trial '{urn}'" for urn in sorted(protected)
    ]

    for urn in protected:
        released = kind.pulumi("state", "unprotect", "--yes", urn)
        assert released.code == 0, released.text
    last = kind.pulumi("destroy", "--yes", "--skip-preview", "--exclude-protected")
    assert last.code == 0, last.text
    assert kind.ledger() == []
