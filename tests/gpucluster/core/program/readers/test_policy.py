"""What the engine sends to a policy pack becomes the shared resource view."""

from __future__ import annotations

import pytest
from google.protobuf.struct_pb2 import Struct

from gpucluster.core.program.readers.policy import plain, provider_of, resource_of, resources_of
from gpucluster.core.program.resources import UNKNOWN, Resource

MARK = "4dabf18193072939515e22adb298388d"
SECRET, ASSET, ARCHIVE, OUTPUT, REFERENCE = (
    "1b47061264138c4ac30d75fd1eb44270",
    "c44067f5952c0a294b673a41bacd8c17",
    "0def7320c3a5731c473e5ecbe6d01bc7",
    "d0e6a833031e9bbcd3f4e8bde6ca49a4",
    "5cf8f73096256a8f31e491e813e4eb8e",
)


def read(properties):
    sent = Struct()
    sent.update(properties)
    return plain(sent)


def test_a_message_becomes_plain_values():
    values = {"list": [{"a": 1.0}, "b", [], {}], "none": None, "flag": True, "half": 0.5, "text": "", "map": {}}
    assert read(values) == {**values, "list": [{"a": 1}, "b", [], {}]}
    assert isinstance(read(values)["list"][0]["a"], int)
    assert plain(Struct()) == {}


@pytest.mark.parametrize(
    "unknown",
    [
        "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    ],
)
def test_an_unknown_is_a_value_at_any_depth(unknown):
    assert read({"top": unknown, "in": {"list": ["known", unknown]}}) == {
        "top": UNKNOWN,
        "in": {"list": ["known", UNKNOWN]},
    }


def test_a_secret_is_what_it_holds():
    def secret(value):
        return {MARK: SECRET, "value": value}

    unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    sent = {"text": secret("x"), "map": secret({"in": [secret(5.0), secret(None)]}), "unknown": secret(unknown)}
    assert read(sent) == {"text": "x", "map": {"in": [5, None]}, "unknown": UNKNOWN}


@pytest.mark.parametrize(
    "marked",
    [
        {MARK: ASSET, "text": "content"},
        {MARK: ARCHIVE, "assets": {"a": {MARK: ASSET, "path": "a.txt"}}},
        {MARK: OUTPUT, "value": "x"},
        {MARK: REFERENCE, "urn": "urn:pulumi:test::test::a:b:C::d"},
        {MARK: SECRET, "ciphertext": "v1:abc"},
        {MARK: "another"},
    ],
    ids=["asset", "archive", "output", "reference", "sealed secret", "no known mark"],
)
def test_other_marked_values_are_unknown(marked):
    assert read({"source": marked, "list": [marked]}) == {"source": UNKNOWN, "list": [UNKNOWN]}


def test_one_resource_shows_inputs(program):
    program.keep("group", "tags")
    sent = program.asked("group")
    sent.options.parent, sent.options.protect = "urn:pulumi:test::test::a:b:C::d", True
    assert resource_of(sent) == Resource(
        urn="urn:pulumi:test::test::aws:ec2/placementGroup:PlacementGroup::group",
        type="aws:ec2/placementGroup:PlacementGroup",
        name="group",
        inputs={"strategy": "cluster", "tags": program.labels},
        parent="urn:pulumi:test::test::a:b:C::d",
        provider="urn:pulumi:test::test::pulumi:providers:aws::default",
        protect=True,
        keeps=("tags",),
    )
    assert provider_of(sent) == Resource(
        urn="urn:pulumi:test::test::pulumi:providers:aws::default",
        type="pulumi:providers:aws",
        name="default",
        inputs={"region": "us-east-1"},
    )


def test_a_component_has_no_provider(program):
    sent = program.asked("trial")
    assert (resource_of(sent).provider, resource_of(sent).parent, provider_of(sent)) == (None, None, None)


def test_the_stack_shows_relations_and_providers(program):
    resources = resources_of(program.request().resources)
    template = resources.get(program.declared["template"].urn)
    assert template is not None
    assert dict(template.dependencies) == {
        "placement": (program.declared["group"].urn,),
        "networkInterfaces": (program.declared["efa"].urn,),
    }
    assert [parent.name for parent in resources.parents(template)] == ["trial"]
    assert resources.region(template) == "us-east-1"


def test_relations_to_what_the_stack_does_not_show_are_left_out(program):
    request = program.request()
    del request.resources[0]  # the component
    for sent in request.resources:
        sent.propertyDependencies["placement"].urns[:] = ["urn:pulumi:test::test::a:b:C::d"]
    template = resources_of(request.resources).get(program.declared["template"].urn)
    assert template is not None
    assert template.parent is None
    assert dict(template.dependencies) == {"placement": (), "networkInterfaces": (program.declared["efa"].urn,)}


def test_a_component_registers_facts_and_has_no_inputs(program):
    component = next(r for r in resources_of(program.request().resources) if r.name == "trial")
    assert (component.custom, component.inputs) == (False, {})
    assert component.registered["requiredLabels"] == program.labels


def test_inputs_seen_before_take_the_place_of_outputs(program):
    program["group"]["spreadLevel"] = program.unknown  # computed by the provider, set by nobody
    urn = program.declared["group"].urn
    group = resources_of(program.request().resources, {urn: {"strategy": "cluster"}}).get(urn)
    assert group is not None
    assert group.inputs == {"strategy": "cluster"}
    assert group.outputs == {"strategy": "cluster", "tags": program.labels, "spreadLevel": UNKNOWN}
