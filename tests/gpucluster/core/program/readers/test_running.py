"""What the running program declares, against what the SDK then sends and what the engine writes into its plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil
import pulumi
import pytest

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources

RunProgram = Callable[..., Any]
EXAMPLE = Path(__file__).parents[1] / "example" / "__main__.py"

MADE_LATER = {"pulumi:providers:aws", "pulumi:providers:kubernetes"}
"""Types whose inputs the SDK turns to text in an `apply`, so that they are not known when the program ends."""


def _comparable(resource: Resource) -> dict[str, Any]:
    found = asdict(resource)
    found.pop("source_position")
    found.pop("outputs")
    found["dependencies"] = {key: sorted(urns) for key, urns in found["dependencies"].items()}
    if resource.type in MADE_LATER:
        found.pop("inputs")
    return found


def _by_urn(resources: Resources) -> dict[str, dict[str, Any]]:
    return {resource.urn: _comparable(resource) for resource in resources}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_program_is_seen_as_the_sdk_sends_it(run_program: RunProgram) -> None:
    run = run_program(EXAMPLE, aws__region="us-east-1")
    sent = {urn: _comparable(resource) for urn, resource in run.sent.items()}
    seen = _by_urn(run.seen)
    assert seen.keys() == sent.keys()
    assert len(seen) == 23
    for urn, expected in sent.items():
        assert seen[urn] == expected, urn


def test_a_resource_named_as_a_nested_type_of_its_cloud_is_seen_by_the_names_of_the_engine(
    run_program: RunProgram,
) -> None:
    """The SDK calls the arguments of such a resource `SubnetInitArgs`; `SubnetArgs` are those of the nested type."""

    def program() -> None:
        from pulumi_azure_native.network import Subnet, VirtualNetwork

        space: Any = {"address_prefixes": ["10.0.0.0/8"]}
        network = VirtualNetwork("network", resource_group_name="group", address_space=space)
        Subnet("nodes", resource_group_name="group", virtual_network_name=network.name, address_prefix="10.0.0.0/16")

    run = run_program(program)
    seen = _by_urn(run.seen)
    assert seen == {urn: _comparable(resource) for urn, resource in run.sent.items()}
    network, nodes = (run.seen.of_type(f"azure-native:network:{kind}")[0] for kind in ("VirtualNetwork", "Subnet"))
    assert network.inputs["resourceGroupName"] == nodes.inputs["resourceGroupName"] == "group"
    assert nodes.dependencies == {"virtualNetworkName": (network.urn,)}


class Thing(pulumi.CustomResource):
    """A hand-written resource, which translates names by its own function."""

    answer: pulumi.Output[int]
    other: pulumi.Output[str]

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None, **props: Any) -> None:
        super().__init__("test:index:Thing", name, {"answer": None, **props}, opts)

    def translate_input_property(self, prop: str) -> str:
        return {"snake_case": "snakeCase"}.get(prop, prop)


class Group(pulumi.ComponentResource):
    """A component that sets an output on itself which comes from elsewhere."""

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("test:index:Group", name, {"fact": 1}, opts)
        self.child = Thing(f"{name}-child", opts=pulumi.ResourceOptions(parent=self))
        self.borrowed = Thing(f"{name}-second", opts=pulumi.ResourceOptions(parent=self)).answer


VALUES: list[tuple[str, Callable[[], Any], Any, list[str]]] = [
    ("a plain value", lambda: "text", "text", []),
    ("a whole float", lambda: 5.0, 5, []),
    ("a nested value", lambda: {"snake_case": [1, {"b": None, "c": 2.5}]}, {"snakeCase": [1, {"c": 2.5}]}, []),
    ("an id", lambda: Thing("a").id, UNKNOWN, ["a"]),
    ("an output only the cloud knows", lambda: Thing("a").answer, UNKNOWN, ["a"]),
    ("an output that echoes an input", lambda: Thing("a", other="x").other, "x", ["a"]),
    ("an echo of an echo", lambda: Thing("a", other=Thing("b", other="x").other).other, "x", ["a"]),
    ("an echo of what is unknown", lambda: Thing("a", other=Thing("b").id).other, UNKNOWN, ["a"]),
    ("an apply", lambda: Thing("a").id.apply(str.upper), UNKNOWN, ["a"]),
    ("an apply of an apply", lambda: Thing("a").id.apply(str.upper).apply(str.lower), UNKNOWN, ["a"]),
    ("a lifted member", lambda: Thing("a").answer["deep"], UNKNOWN, ["a"]),
    ("all", lambda: pulumi.Output.all(Thing("a").id, Thing("b").id),
     UNKNOWN, ["a", "b"]),
    ("concat", lambda: pulumi.Output.concat("x", Thing("a").id), UNKNOWN, ["a"]),
    ("format", lambda: pulumi.Output.format("{0}-{1}", Thing("a").id, Thing("b").id), UNKNOWN, ["a", "b"]),
    ("json_dumps", lambda: pulumi.Output.json_dumps({"x": [Thing("a").id]}), UNKNOWN, ["a"]),
    ("from_input", lambda: pulumi.Output.from_input({"x": {"y": Thing("a").id}}), UNKNOWN, ["a"]),
    ("a value already there", lambda: pulumi.Output.from_input("known"), "known", []),
    ("a secret", lambda: pulumi.Output.secret("hidden"), UNKNOWN, []),
    ("a secret of a resource", lambda: pulumi.Output.secret(Thing("a").id), UNKNOWN, ["a"]),
    ("a resource", lambda: Thing("a"), UNKNOWN, ["a"]),
    ("a component", lambda: Group("g"), UNKNOWN, ["g-child", "g-second"]),
    ("what a component borrowed", lambda: Group("g").borrowed, UNKNOWN, ["g-second"]),
    ("outputs inside a list", lambda: [Thing("a").id, "x", Thing("b").id], [UNKNOWN, "x", UNKNOWN], ["a", "b"]),
]  # fmt: skip


@pytest.mark.parametrize(("make_value", "plain", "behind"), [case[1:] for case in VALUES], ids=[c[0] for c in VALUES])
def test_a_value_is_read_without_waiting(
    run_program: RunProgram, make_value: Callable[[], Any], plain: Any, behind: list[str]
) -> None:
    def program() -> None:
        Thing("it", value=make_value())

    run = run_program(program)
    (it,) = [resource for resource in run.seen if resource.name == "it"]
    assert it.inputs["value"] == plain
    assert sorted(urn.split("::")[-1] for urn in it.dependencies.get("value", ())) == behind


def test_the_dependencies_are_those_that_the_sdk_sends(run_program: RunProgram) -> None:
    def program() -> None:
        a, b = Thing("a", other="x"), Thing("b")
        Thing("all", value=pulumi.Output.all(a.id, b.answer))
        Thing("text", value=pulumi.Output.concat(a.other, "-", b.id))
        Thing("json", value=pulumi.Output.json_dumps({"x": [a.id, {"y": b.id}]}))
        Thing("nested", value={"x": [a.id.apply(str.upper)], "y": pulumi.Output.secret(b.id)})

    run = run_program(program)
    for resource in run.seen:
        sent = run.sent[resource.urn]
        assert {key: sorted(urns) for key, urns in resource.dependencies.items()} == {
            key: sorted(urns) for key, urns in sent.dependencies.items()
        }, resource.name


def test_what_another_program_owns_is_left_out(run_program: RunProgram) -> None:
    def program() -> None:
        Thing("mine")
        Thing("theirs", opts=pulumi.ResourceOptions(id="theirs-1"))

    assert [resource.name for resource in run_program(program).seen] == ["example-dev", "mine"]


def test_reading_leaves_the_program_as_it_was(run_program: RunProgram) -> None:
    calls: list[int] = []

    def program() -> None:
        Thing("it", value=pulumi.Output.from_input(1).apply(lambda value: calls.append(value) or value))

    at_end: list[int] = []
    run_program(program, at_end=lambda _: at_end.append(len(calls)))
    assert at_end == [0]
    assert calls == [1]


def test_a_run_leaves_no_file_open(run_program: RunProgram) -> None:
    run_program(lambda: Thing("first", value=1))
    before = psutil.Process().num_fds()
    run_program(lambda: Thing("second", value=1))
    assert psutil.Process().num_fds() <= before
