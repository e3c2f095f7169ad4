"""Programs in YAML, on the real engine."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.package.folder import SCHEMA_FILE
from gpucluster.core.program.closing import FOLDER_VARIABLE
from tests.library.component_package.conftest import Yaml

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples/yaml"
CLOUDS = ("aws", "gcp", "azure")
PROGRAM = """\
name: yaml-aws
runtime: yaml
packages: {gpucluster: ../package}
variables:
  hidden: {fn::secret: research}
resources:
  first:
    type: gpucluster:aws:TrainingCluster
    properties:
      location: {region: us-east-1, zone: us-east-1a}
      spec:
        training: {nodes: 2}
        storage: {shared: {usable_tib: 20}}
        access: {kind: public, cidrs: [203.0.113.0/24]}
  second:
    type: gpucluster:aws:TrainingCluster
    properties:
      location: {region: us-east-1, zone: us-east-1a}
      spec:
        training: {nodes: NODES}
        storage: {shared: {usable_tib: 20}}
        access: {kind: public, cidrs: [203.0.113.0/24]}
        labels: LABELS
"""


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_spec_of_each_example_is_the_trials(cloud: str) -> None:
    program = yaml.safe_load((EXAMPLES / cloud / "Pulumi.yaml").read_text())
    spec = yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text())
    assert {"name": "trial", **program["resources"]["trial"]["properties"]["spec"]} == spec


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_cluster_in_yaml_is_previewed_built_changed_and_destroyed_under_the_policies(
    project: Yaml, cloud: str
) -> None:
    program = (EXAMPLES / cloud / "Pulumi.yaml").read_text()
    project.write(program)
    pack = ("--policy-pack", str(ROOT / "policies"))
    code, preview = project.pulumi("preview", *pack)
    assert code == 0, preview
    total = re.search(r"^Total +\$([\d,.]+)(?: to \$[\d,.]+)? a month$", preview, re.MULTILINE)
    monthly = re.search(r'^    monthly +: "([\d.]+)(?: to [\d.]+)?"$', preview, re.MULTILINE)
    assert total is not None
    assert monthly is not None
    assert "    Cost of trial: list prices in USD" in preview
    assert total[1].replace(",", "") == monthly[1]
    assert "training: 5 rules about deletions and replacements cannot run in a preview" in preview
    [(count,)] = [found.groups() for found in re.finditer(r"^ +\+ (\d+) to create$", preview, re.MULTILINE)]

    code, up = project.pulumi("up", "--yes", "--skip-preview", *pack)
    totals = re.findall(r"^Total  .*\$", up, re.MULTILINE)
    assert (code, f"+ {count} created" in up, len(totals)) == (0, True, 1), up
    assert {step["op"] for step in project.plan()["steps"]} == {"same"}
    report = project.run("cost", "report", "plan.json")
    assert re.search(rf"^Total per month .*\${float(monthly[1]):,.2f}( to .*)?$", report.stdout, re.MULTILINE), (
        report.stdout
    )

    project.write(program.replace("max_gpus: 8", "max_gpus: 16"))
    code, changed = project.pulumi("up", "--yes", "--skip-preview", *pack)
    assert (code, re.findall(r"^ +(\S) \d+ (\w+)$", changed, re.MULTILINE)) == (0, [("~", "updated")]), changed

    project.write(program)
    code, gone = project.pulumi("destroy", "--yes", "--skip-preview")
    assert (code, f"- {count} deleted" in gone) == (0, True), gone


@pytest.mark.engine
@pytest.mark.slow
def test_policies_find_in_a_component_what_they_find_in_python(project: Yaml) -> None:
    pack = ("--policy-pack", str(ROOT / "policies"))
    project.write((EXAMPLES / "gcp/Pulumi.yaml").read_text())
    in_yaml = project.pulumi("preview", *pack)
    spec = (ROOT / "stacks/specs/trial.yaml").read_text()
    project.write_python("gcp", spec, 'project="my-project", region="us-central1", zone="us-central1-b"')
    in_python = project.pulumi("preview", *pack)
    assert (in_yaml[0], findings(in_yaml[1])) == (0, findings(in_python[1])), in_yaml[1]
    for _, text in (in_yaml, in_python):
        assert re.search(r"training: \d+ daemons and roles of the clusters themselves not evaluated", text), text


@pytest.mark.engine
@pytest.mark.slow
def test_policies_stop_a_program_in_yaml(project: Yaml) -> None:
    """The labels of one cluster are those that every resource of the stack has to have."""
    project.write(PROGRAM.replace("NODES", "4").replace("LABELS", "{team: research}"))
    code, text = project.pulumi("preview", "--policy-pack", str(ROOT / "policies"))
    assert code == 1, text
    assert ("mandatory", "required-labels", "aws:eks:Addon: first-block-storage-driver") in findings(text)
    assert re.search(r"^ +first-.*first-training-nodes.*: .*`team` missing$", text, re.MULTILINE), text
    assert len(re.findall(r"^Total  ", text, re.MULTILINE)) == 1, text
    assert text.partition("\nFindings")[2].count("mandatory required-labels") == 1


def findings(text: str) -> list[tuple[str, str, str]]:
    return re.findall(r"^ +- \[(\w+)\] .*\]  ([\w-]+)  \((.*)\)$", text, re.MULTILINE)


@pytest.mark.engine
@pytest.mark.slow
def test_the_engine_prints_the_schema(project: Yaml) -> None:
    project.write("name: empty\nruntime: yaml\n")
    done = project.run("sandbox", "pulumi", "package", "get-schema", "../package")
    assert done.returncode == 0, done.stderr
    assert without_empty(json.loads(done.stdout)) == without_empty(json.loads(SCHEMA_FILE.read_text()))


def without_empty(node: Any) -> Any:
    """The engine leaves out empty lists, and writes empty objects where there are none."""
    if isinstance(node, dict):
        return {key: found for key, item in node.items() if (found := without_empty(item)) not in ({}, [])}
    return [without_empty(item) for item in node] if isinstance(node, list) else node


@pytest.mark.usefixtures("full_output")
@pytest.mark.engine
@pytest.mark.slow
def test_what_no_preview_knows_is_refused_by_name_and_two_clusters_have_a_cost_each(project: Yaml) -> None:
    labels = '{team: "${first.clusterName}-${first.endpoint}", owner: "${hidden}"}'
    project.write(PROGRAM.replace("NODES", '"${first.storage.usableGib}"').replace("LABELS", labels))
    code, refused = project.pulumi("preview")
    later = "is not known before the update"
    assert (
        code,
        re.findall(r"^ +(spec\S+ (?:is not known before the update|is a secret))", refused, re.MULTILINE),
    ) == (2, ["spec.labels.owner is a secret", f"spec.labels.team {later}", f"spec.training.nodes {later}"]), refused

    project.write(PROGRAM.replace("NODES", "4").replace("LABELS", "{team: research}"))
    assert {step["op"] for step in project.plan()["steps"]} == {"create"}
    report = json.loads(project.run("cost", "report", "plan.json", "--format", "json").stdout)
    _, text = project.pulumi("preview")
    own = [
        float(total.replace(",", "")) for total in re.findall(r"^    Total per month +\$([\d,.]+)$", text, re.MULTILINE)
    ]
    assert len(own) == 2
    assert float(report["monthly"]["expected"]) == pytest.approx(sum(own), abs=0.02)


@pytest.mark.engine
@pytest.mark.slow
def test_a_plain_pulumi_prints_one_total_of_two_clusters_with_the_change_since_the_update(project: Yaml) -> None:
    main = project.path / "../package/__main__.py"
    # Without this variable the package is as in a Pulumi that the sandbox did not start.
    main.write_text(f"import os\n\ndel os.environ[{FOLDER_VARIABLE!r}]\n{main.read_text()}")
    outputs = "outputs: {monthly: '${first.cost.monthly}'}\n"
    program = PROGRAM.replace("LABELS", "{team: research}") + outputs
    project.write(program.replace("NODES", "2"))
    for command in (("preview",), ("up", "--yes", "--skip-preview")):
        code, text = project.pulumi(*command)
        assert (code, re.findall(r"^ +Total   (.*)$", text, re.MULTILINE)) == (0, ["$169,464.98 a month"]), text
    project.write(program.replace("NODES", "3"))
    code, text = project.pulumi("preview")
    assert (code, re.findall(r"^ +Total   (.*)$", text, re.MULTILINE)) == (
        0,
        ["$209,687.55 a month (+$40,222.57, +23.7% since the last update)"],
    ), text
    assert len(re.findall(r"^    Next  +pulumi up --stack dev$", text, re.MULTILINE)) == 1, text


@pytest.mark.engine
@pytest.mark.slow
def test_wrong_inputs_are_told_at_once_in_the_words_of_a_spec(project: Yaml) -> None:
    program = PROGRAM.replace("NODES", "0").replace("LABELS", "{team: 4711}").replace("zone: us", "zne: us", 1)
    project.write(program.replace("training: {nodes: 2}", "training: {nodes: 2, fabric_gbs: 1600}"))
    code, text = project.pulumi("preview")
    told = [line.strip() for line in text.splitlines()]
    assert code == 2, text
    for problem in (
        "location.zne is not an input; did you mean zone?",
        "location.zone is missing; write its value such as 'us-east-1a'",
        "training.fabric_gbs is not a field; did you mean fabric_gbps?",
        "training.nodes is 0; write a whole number from 1 to 4,096",
        "labels.team is 4711, not a string; write '4711'",
    ):
        assert problem in told, text


@pytest.mark.engine
@pytest.mark.slow
def test_a_stack_in_python_is_taken_over_with_nothing_replaced(project: Yaml) -> None:
    spec = (ROOT / "stacks/specs/trial.yaml").read_text()
    project.write_python("aws", spec, 'region="us-east-1", zone="us-east-1a"')
    code, text = project.pulumi("up", "--yes", "--skip-preview")
    assert code == 0, text
    project.write((EXAMPLES / "aws/Pulumi.yaml").read_text())
    changed = {step["urn"].rpartition("::")[2]: step["op"] for step in project.plan()["steps"] if step["op"] != "same"}
    # The order of its labels, which mappings of other languages do not keep.
    assert changed == {"trial-monitoring-rules": "update"}
