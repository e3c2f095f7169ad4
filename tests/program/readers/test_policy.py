"""What the policy SDK hands over becomes the shared resource view."""

from __future__ import annotations

import pulumi
import pytest
from pulumi_policy.proxy import (
    UNKNOWN_ARRAY_VALUE,
    UNKNOWN_NUMBER_VALUE,
    UNKNOWN_OBJECT_VALUE,
    UNKNOWN_STRING_VALUE,
    unknown_checking_proxy,
)

from gpucluster.program.readers.policy import plain, resource_of, resources_of
from gpucluster.program.resources import UNKNOWN, Resource


def test_wrappers_become_plain_values():
    wrapped = unknown_checking_proxy({"list": [{"a": 1.0}, "b"], "none": None, "flag": True, "half": 0.5})
    assert plain(wrapped) == {"list": [{"a": 1}, "b"], "none": None, "flag": True, "half": 0.5}
    assert isinstance(plain(wrapped)["list"][0]["a"], int)


@pytest.mark.parametrize(
    "unknown", [UNKNOWN_STRING_VALUE, UNKNOWN_NUMBER_VALUE, UNKNOWN_ARRAY_VALUE, UNKNOWN_OBJECT_VALUE]
)
def test_an_unknown_is_a_value_at_any_depth(unknown):
    wrapped = unknown_checking_proxy({"top": unknown, "in": {"list": ["known", unknown]}})
    assert plain(wrapped) == {"top": UNKNOWN, "in": {"list": ["known", UNKNOWN]}}


def test_an_asset_is_not_read():
    assert plain({"source": pulumi.StringAsset("content")}) == {"source": UNKNOWN}


def test_a_resource_policy_sees_inputs(program):
    assert resource_of(program.resource_args("group")) == Resource(
        urn="urn:pulumi:test::test::aws:ec2/placementGroup:PlacementGroup::group",
        type="aws:ec2/placementGroup:PlacementGroup",
        name="group",
        inputs={"strategy": "cluster", "tags": program.labels},
        provider="urn:pulumi:test::test::pulumi:providers:aws::default",
    )


def test_a_stack_policy_sees_relations_and_providers(program):
    resources = resources_of(program.stack_args())
    template = resources.get(program.declared["template"].urn)
    assert template is not None
    assert dict(template.dependencies) == {
        "placement": (program.declared["group"].urn,),
        "networkInterfaces": (program.declared["efa"].urn,),
    }
    assert [parent.name for parent in resources.parents(template)] == ["trial"]
    assert resources.region(template) == "us-east-1"


def test_a_component_registers_facts_and_has_no_inputs(program):
    component = next(r for r in resources_of(program.stack_args()) if r.name == "trial")
    assert (component.custom, component.inputs) == (False, {})
    assert component.registered["requiredLabels"] == program.labels


def test_inputs_seen_before_take_the_place_of_outputs(program):
    program["group"]["spreadLevel"] = program.unknown  # computed by the provider, set by nobody
    urn = program.declared["group"].urn
    group = resources_of(program.stack_args(), {urn: {"strategy": "cluster"}}).get(urn)
    assert group is not None
    assert group.inputs == {"strategy": "cluster"}
    assert group.outputs == {"strategy": "cluster", "tags": program.labels, "spreadLevel": UNKNOWN}
