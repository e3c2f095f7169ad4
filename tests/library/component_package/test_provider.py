"""The clusters as the plugin builds them, without an engine."""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Callable
from typing import Any

import pulumi
import pytest
from pulumi.errors import InputPropertiesError
from pulumi.provider import ConstructResult

from gpucluster.components.package.folder import SCHEMA_FILE
from gpucluster.components.package.provider import GIVEN, ComponentPackage
from tests.library.conftest import Recorder
from tests.says import Says

SPEC = {
    "training": {"nodes": 4.0},
    "storage": {"shared": {"usable_tib": 20.0}},
    "access": {"kind": "public", "cidrs": ["203.0.113.0/24"]},
}
PLACES = {
    "aws": {"region": "us-east-1", "zone": "us-east-1a"},
    "gcp": {"project": "my-project", "region": "us-central1", "zone": "us-central1-b"},
    "azure": {"subscription": "00000000-0000-0000-0000-000000000000", "region": "eastus", "zone": "1"},
}


def build(cloud: str, **given: Any) -> ConstructResult:
    GIVEN.set({"location": PLACES[cloud], "spec": SPEC, **given})
    # As the engine gives it: the stack is of the program, and only its URN is known here.
    above = pulumi.resource.DependencyResource("urn:pulumi:dev::mine::pulumi:pulumi:Stack::mine-dev")
    options = pulumi.ResourceOptions(parent=above, protect=False)
    return ComponentPackage().construct("trial", f"gpucluster:{cloud}:TrainingCluster", {}, options)


def refused(cloud: str, **given: Any) -> str:
    with pytest.raises(InputPropertiesError) as found:
        build(cloud, **given)
    # With no list of its own the SDK can't send it.
    assert found.value.errors == []
    return found.value.message


@pytest.mark.usefixtures("full_output")
@pytest.mark.parametrize(
    ("cloud", "machine"), [("aws", "p5.48xlarge"), ("gcp", "a3-highgpu-8g"), ("azure", "Standard_ND96isr_H100_v5")]
)
def test_a_cluster_has_the_outputs_of_the_schema_and_the_children_it_has_in_python(
    declared: Callable[..., Any], logged: list[str], monkeypatch: pytest.MonkeyPatch, cloud: str, machine: str
) -> None:
    # AKS gives its kubeconfig in the answer to a question; who asks and the feature of the subscription are others.
    claims = base64.urlsafe_b64encode(b'{"scp": "user_impersonation"}').decode()
    given = {"clusters": [{"cluster": {"server": "https://cluster.example", "certificate-authority-data": "Y2VydA=="}}]}
    answer = {
        "kubeconfigs": [{"value": base64.b64encode(json.dumps(given).encode()).decode()}],
        "properties": {"state": "Registered"},
        "objectId": "whoever-runs-up",
        "token": f"head.{claims}.signature",
    }
    monkeypatch.setattr(Recorder, "call", lambda *_: answer)
    built: list[ConstructResult] = []
    seen = declared(lambda: built.append(build(cloud)))
    outputs: Any = built[0].state
    known = json.loads(SCHEMA_FILE.read_text())["resources"][f"gpucluster:{cloud}:TrainingCluster"]["properties"]
    assert set(outputs) == set(known)
    pool = {"machineType": machine, "gpus": 8, "nodes": 4, "elastic": False}
    assert outputs["pools"] == {"training": pool}
    storage = {name: value for name, value in outputs["storage"].items() if name != "id"}
    assert storage == {"usableGib": storage["usableGib"], "namespace": "training", "claim": "shared"}
    assert re.fullmatch(r"\d+\.\d\d( to \d+\.\d\d)?", outputs["cost"]["monthly"])
    names = {(one.typ, one.name) for one in seen}
    assert (f"gpucluster:{cloud}:TrainingCluster", "trial") in names
    assert (f"gpucluster:{cloud}:TrainingPool", "trial-training") in names
    [table] = [text for text in logged if text.startswith("info: Cost of trial: list prices")]
    assert outputs["cost"]["monthly"].replace(" to ", " to $") in table.replace(",", "")


def test_its_cost_is_known_where_the_program_brings_the_provider(declared: Callable[..., Any]) -> None:
    """Such a provider is known by its URN alone, which says nothing of the region."""
    costs: list[Any] = []

    def program() -> None:
        brought = pulumi.resource.DependencyProviderResource("urn:pulumi:dev::mine::pulumi:providers:aws::mine::id")
        for providers in ([brought], []):
            GIVEN.set({"location": PLACES["aws"], "spec": SPEC})
            options = pulumi.ResourceOptions(providers=list[pulumi.ProviderResource](providers))
            name = f"trial{len(providers)}"
            token = "gpucluster:aws:TrainingCluster"
            state: Any = ComponentPackage().construct(name, token, {}, options).state
            costs.append(state["cost"])

    declared(program)
    assert costs[0] == costs[1]
    assert float(costs[0]["monthly"]) > 100_000


def test_all_mistakes_are_told_at_once_and_nothing_is_registered(declared: Any) -> None:
    def program() -> None:
        spec = {**SPEC, "training": {"nodes": 0.0, "fabric_gbs": 1600.0}, "purchase": {"kind": "on-demnd"}}
        place = {"region": "us-east-1", "zon": "us-east-1a"}
        text = refused("aws", spec=spec, location=place, machine="p5.4xlarge")
        assert text.splitlines() == [
            "gpucluster.aws.TrainingCluster trial: 1 problem",
            Says("location.zon", "not", "zone"),
            "gpucluster.aws.TrainingCluster trial: 1 problem",
            Says("location.zone", "missing", "us-east-1a"),
            "spec of trial: 3 problems",
            Says("purchase.kind", "on-demnd", "on-demand", "spot", "capacity-block", "flex-start", "on-demand"),
            Says("training.fabric_gbs", "not", "fabric_gbps"),
            Says("training.nodes", "0", "1", "4,096"),
        ]

    assert [one.name for one in declared(program) if one.typ.startswith("gpucluster")] == []


def test_a_cluster_over_its_budget_is_refused_and_nothing_is_registered(declared: Any) -> None:
    def program() -> None:
        text = refused("aws", spec={**SPEC, "budget": {"monthly_usd": 1000.0}})
        assert re.match(r"over budget by \$\d[\d,.]+: expected \$", text), text

    assert [one.name for one in declared(program) if one.typ.startswith("gpucluster")] == []


def test_the_sdk_of_the_cloud_is_named_where_it_is_missing(declared: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("pulumi_gcp", "gpucluster.gcp"))]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.startswith("gpucluster.components.gcp")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pulumi_gcp", None)
    texts: list[str] = []
    declared(lambda: texts.append(refused("gcp")))
    assert "pip install 'pulumi-gcp>=10.2,<11'" in texts[0]


def test_another_type_is_not_in_the_package() -> None:
    with pytest.raises(InputPropertiesError, match=r"^gpucluster:aws:Network is not in the package gpucluster$"):
        ComponentPackage().construct("x", "gpucluster:aws:Network", {})
