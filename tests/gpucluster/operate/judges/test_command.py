"""`gpucluster judge`: its output as people and machines read it, its exit codes, and what it says of bad input."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from subprocess import run

import jsonschema
import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.operate.judges.document import json_schema
from tests.gpucluster.operate.judges.conftest import plan

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
PLAN = plan(
    network=("gcp:compute/network:Network", {"routingMode": "Bogus", "mtu": 8896}),
    good=("gcp:compute/network:Network", {"routingMode": "REGIONAL", "project": "p"}),
    cluster=("gcp:container/cluster:Cluster", {"privateClusterConfig": {"enablePrivateNodes": True}}),
    another=("gcp:container/cluster:Cluster", {"privateClusterConfig": {"enablePrivateNodes": True}}),
    lustre=("gcp:lustre/instance:Instance", {"capacityGib": 36000}),
    rules=("azure-native:network:NetworkSecurityGroup", {"securityRules": [{"access": "Bogus", "priority": -7}]}),
    chart=("kubernetes:helm.sh/v3:Release", {"chart": "kueue"}),
    settings=("kubernetes:core/v1:ConfigMap", {"data": {"a": 1}}),
    pet=("random:index/randomPet:RandomPet", {}),
)
FINE = plan(network=("gcp:compute/network:Network", {"routingMode": "REGIONAL"}))
OPEN = plan(network=("gcp:compute/network:Network", {}), lustre=("gcp:lustre/instance:Instance", {}))


def judge(text: str, *options: str):
    return CliRunner().invoke(main, ["judge", *options], input=text, prog_name="gpucluster")


@pytest.mark.parametrize("form", ["table", "json"])
def test_the_result_is_as_it_was_read(form: str) -> None:
    """UPDATE_GOLDEN=1 writes it anew."""
    golden = HERE / f"golden.{'txt' if form == 'table' else form}"
    done = judge(PLAN, "--format", form)
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(done.stdout)
    assert (done.exit_code, done.stderr, done.stdout) == (1, "", golden.read_text())


def test_json_has_the_schema_that_is_printed() -> None:
    jsonschema.validate(json.loads(judge(PLAN, "--format", "json").stdout), json_schema())


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [(FINE, (), 0), (FINE, ("--strict",), 0), (OPEN, (), 0), (OPEN, ("--strict",), 1), (PLAN, ("--judge", "aws"), 0)],
    ids=["accepted", "accepted, strict", "not judged", "not judged, strict", "a judge of none of them"],
)
def test_a_refusal_ends_with_1_and_what_is_not_judged_only_where_that_is_asked(
    text: str, options: tuple[str, ...], code: int
) -> None:
    assert judge(text, *options).exit_code == code


def test_quiet_leaves_out_the_counts() -> None:
    assert judge(FINE, "--quiet").stdout == ""
    assert judge(FINE).stdout == "judge  accepted  refused  not judged\ngcp           1        0           0\n"


def test_a_plan_without_resources_is_fine_and_says_so() -> None:
    done = judge('{"steps": []}')
    assert (done.exit_code, done.stdout) == (0, "No resources of a cloud.\n")


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("", (), "error: stdin is empty; give the output of `pulumi preview --json --show-sames` or of"),
        ("[1]", (), "error: stdin is neither a plan nor a state (found no object); give the output of"),
        ("{", (), "error: stdin is not JSON (line 1:"),
        (FINE, ("--judge", "oracle"), "  --judge is 'oracle'; allowed: aws, gcp, azure, kubernetes\n"),
        (FINE, ("no-such.json",), "  FILE: 'no-such.json': No such file or directory\n"),
    ],
    ids=["empty", "no plan", "no JSON", "unknown judge", "no file"],
)  # fmt: skip
def test_bad_input_gets_one_error(text: str, options: tuple[str, ...], said: str) -> None:
    done = judge(text, *options)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


PROBE = """
import sys
from gpucluster.cli import main
try: main(sys.argv[1:], prog_name='gpucluster')
except SystemExit: pass
print(*sorted({name.partition('.')[0] for name in sys.modules} & set(%r)), file=sys.stderr)
"""
JUDGES = ("cfnlint", "googleapiclient", "kubernetes_validate", "jsonschema", "pulumi", "pulumi_azure_native")


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        (FINE, []),
        (plan(a=("kubernetes:core/v1:ConfigMap", {})), ["jsonschema"]),
        (plan(a=("azure-native:resources:ResourceGroup", {})), ["pulumi", "pulumi_azure_native"]),
    ],
    ids=["gcp", "kubernetes", "azure"],
)
def test_a_plan_pays_for_its_own_judges_alone(text: str, loaded: list[str]) -> None:
    done = run(
        [sys.executable, "-c", PROBE % (JUDGES,), "judge"], input=text, capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[-1].split() == loaded
