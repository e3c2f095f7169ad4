"""The committed pages of the examples are what the program gives, on any terminal; and a real API server takes every
Kubernetes object that the same programs declare.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.sandbox.api_server.binaries import find_binaries
from gpucluster.sandbox.api_server.client import Client, ObjectRefused
from gpucluster.sandbox.api_server.definitions import definitions_of, source_of
from gpucluster.sandbox.api_server.server import open_server
from gpucluster.sandbox.clouds.kubernetes.definitions import known_chart
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE
from tests.waiting import LIMIT

ROOT = Path(__file__).parents[3]
PAGES = ROOT / "docs/examples"
BIN = Path(sys.executable).parent

# The pages written again, and what the programs behind them declare: one run of them all for both.
WRITE = """
import datetime, json, sys
from pathlib import Path
from gpucluster.core.program.resources import UNKNOWN
from tools.pages.examples import write_pages

made = write_pages(Path(sys.argv[1]), datetime.date.fromisoformat(sys.argv[2]))
later = lambda value: {"later": True} if value is UNKNOWN else str(value)
for example, resources in made.items():
    named = {item.urn: item.inputs.get("metadata", {}).get("name") for item in resources if "Namespace" in item.type}
    for item in resources:
        if item.custom and item.type.startswith("kubernetes:"):
            space = [named[urn] for urns in item.dependencies.values() for urn in urns if urn in named]
            line = [str(example.page), item.name, item.type, item.inputs, *space[:1]]
            print(json.dumps(line, default=later))
"""
# What stands for a value that only a cloud gives, where any text will not do: by the field, or the one around it.
GIVEN: dict[str, Any] = {
    # The whole mapping is a secret once a text of it is.
    "stringData": {"a-key": "a-text"},
    "securityGroupSelectorTerms": "sg-0abc",
    "subnetSelectorTerms": "subnet-0abc",
    "vnetSubnetID": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n",
}
# Kinds whose definitions are no module's, and a part of an object: docs/plan/real-api-server.md.
UNCHECKED = {"ComputeClass", "ConfigMapPatch", "GCENodeClass", "NicClusterPolicy", "PodMonitor", "ServiceMonitor"}
MANAGED_NAMESPACES = {"aws": (), "azure": (), "gcp": ("gmp-public",)}
"""What the cloud's own controllers make before `up` comes to it."""
BROUGHT = {"aws": (), "azure": ("aks",), "gcp": ("gke", "gke-prometheus")}


@dataclass(frozen=True, kw_only=True)
class Declared:
    """A Kubernetes object as the program of an example declares it. page: of the example."""

    page: str
    name: str
    token: str
    inputs: dict[str, Any]


def texts(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*.md"))}


def on_a_terminal(columns: int, *command: str) -> str:
    """What a command prints where the terminal says it has so many columns."""
    environment = {**os.environ, "COLUMNS": str(columns), "LINES": "10"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Declared]]:
    """The pages written again on the day of the committed ones, and the Kubernetes objects of all examples."""
    day = re.search(r"`make docs` on ([0-9-]+)", (PAGES / "README.md").read_text())
    assert day is not None
    folder = tmp_path_factory.mktemp("pages")
    lines = on_a_terminal(30, sys.executable, "-c", WRITE, str(folder), day[1]).splitlines()
    return folder, [declared(*json.loads(line)) for line in lines]


def declared(page: str, name: str, token: str, inputs: dict[str, Any], space: str = "") -> Declared:
    """space: the namespace that one of its values comes from."""
    # An object without a name gets one from Pulumi.
    metadata = {"name": name, **inputs.get("metadata", {}), **({"namespace": space} if space else {})}
    return Declared(page=page, name=name, token=token, inputs=given({**inputs, "metadata": metadata}))


def given(value: Any, field: str = "a-name") -> Any:
    """With something in the place of what is known later."""
    if value == {"later": True}:
        return GIVEN.get(field, "a-name")
    if isinstance(value, Mapping):
        return {key: given(inner, field if field in GIVEN else str(key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [given(inner, field) for inner in value]
    return value


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with open_server(tmp_path_factory.mktemp("server"), find_binaries()) as server:
        yield Client(server)


@pytest.mark.slow
def test_every_example_has_its_line_and_every_page_is_what_the_program_gives(
    written: tuple[Path, list[Declared]],
) -> None:
    """`make docs` writes them anew; the diff is what reviewers read as money."""
    assert texts(written[0]) == texts(PAGES)


@pytest.mark.slow
@pytest.mark.parametrize("cloud", ["aws", "azure", "gcp"])
def test_a_real_api_server_takes_every_object_of_every_example(
    client: Client, written: tuple[Path, list[Declared]], cloud: str
) -> None:
    """With the definitions of this cloud's clusters; those of Karpenter differ from one to the next."""
    mine = [item for item in written[1] if item.page.startswith(f"{cloud}/")]
    sliced = {item.inputs["metadata"]["name"] for item in mine if item.page == f"{cloud}/mig.md"}
    assert "mig" in sliced, "no runtime and queue of slices"
    charts = {
        (known_chart(item.inputs), item.inputs["version"].removeprefix("v")) for item in mine if item.token == RELEASE
    }
    for chart in [*sorted(charts), *((name, "") for name in BROUGHT[cloud])]:
        source = source_of(*chart)
        client.define(definitions_of(source) if source else [])
    for name in MANAGED_NAMESPACES[cloud]:
        client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    judged: dict[str, set[str]] = defaultdict(set)
    refused: dict[str, str] = {}
    # Namespaces first, for the others are refused without theirs.
    for item in sorted(mine, key=lambda item: not item.token.endswith(":Namespace")):
        group_version, kind = item.token.removeprefix("kubernetes:").rsplit(":", 1)
        document = {**item.inputs, "apiVersion": group_version.removeprefix("core/"), "kind": kind}
        known = item.token != RELEASE and client.knows(document["apiVersion"], kind)
        judged["simulated" if item.token == RELEASE else "accepted" if known else "unchecked"].add(kind)
        if known:
            try:
                client.apply(document, dry_run=kind != "Namespace")
            except ObjectRefused as refusal:
                refused[f"{item.page} {item.name}"] = str(refusal)
    assert refused == {}
    assert judged["unchecked"] <= UNCHECKED
    assert {"ClusterQueue", "ClusterTrainingRuntime", "PersistentVolume", "ValidatingAdmissionPolicy"} <= judged[
        "accepted"
    ]


@pytest.mark.slow
def test_a_release_sets_only_values_that_its_chart_knows(written: tuple[Path, list[Declared]]) -> None:
    known: dict[str, list[str]] = yaml.safe_load(Path(__file__).with_name("chart_values.yaml").read_text())
    releases = [item for item in written[1] if item.token == RELEASE]
    set_by = {known_chart(item.inputs): {*map(str, known[known_chart(item.inputs)])} for item in releases}
    unknown = {
        f"{item.page} {item.name}: {value}"
        for item in releases
        for value in _values(item.inputs.get("values", {}), set_by[known_chart(item.inputs)])
    }
    assert unknown == set()
    assert {*set_by} == {*known}, "a chart that no example installs"


def _values(values: Mapping[str, Any], known: set[str], at: str = "") -> Iterator[str]:
    """Those that a chart does not know."""
    for key, value in values.items():
        here = f"{at}{key}"
        if here in known:
            continue
        if isinstance(value, Mapping) and any(item.startswith(f"{here}.") for item in known):
            yield from _values(value, known, f"{here}.")
        else:
            yield here


@pytest.mark.parametrize(
    "command",
    [
        ("guardrails", "list"),
        ("guardrails", "explain", "fabric-traffic-allowed"),
        ("guardrails", "check", "tests/gpucluster/core/program/recordings/plan.json"),
        ("cost", "types"),
        ("check", "examples/specs/aws/capacity-block.yaml"),
    ],
    ids=" ".join,
)
def test_the_width_of_a_terminal_changes_no_word_that_a_rule_or_a_plan_says(command: tuple[str, ...]) -> None:
    narrow, wide = (on_a_terminal(columns, str(BIN / "gpucluster"), *command) for columns in (30, 300))
    assert narrow.split() == wide.split() != []
