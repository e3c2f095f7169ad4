"""What programs in other languages give a component, as the engine writes it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from gpucluster.aws import Location
from gpucluster.components.package.provider import Inputs, inputs_of
from gpucluster.errors import InputError
from tests.says import Says

MARK = "4dabf18193072939515e22adb298388d"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
PLACE = {"region": "us-east-1", "zone": "us-east-1a"}
SPEC = {
    "training": {"nodes": 4.0},
    "storage": {"shared": {"usable_tib": 20.0}},
    "access": {"kind": "public", "cidrs": ["203.0.113.0/24"]},
}


def secret(value: object) -> dict[str, object]:
    return {MARK: "1b47061264138c4ac30d75fd1eb44270", "value": value}


def output(**what: object) -> dict[str, object]:
    return {MARK: "d0e6a833031e9bbcd3f4e8bde6ca49a4", **what}


def read(given: dict[str, Any]) -> Inputs:
    return inputs_of(given, "aws", "trial", Location)


def refused(given: dict[str, Any]) -> list[str]:
    with pytest.raises(InputError) as found:
        read(given)
    return str(found.value).splitlines()


def test_whole_numbers_are_integers_and_what_is_null_is_left_out() -> None:
    spec = {**SPEC, "elastic": None, "labels": {"team": "research", "owner": None}}
    found = read({"location": {**PLACE, "second_zone": None, "account": None}, "spec": spec, "machine": None})
    assert found.machine is None
    assert asdict(found.location) == {**PLACE, "second_zone": None, "account": None, "role": None}
    assert found.spec == {**SPEC, "labels": {"team": "research"}}
    assert type(found.spec["training"]["nodes"]) is int


def test_mappings_have_one_order_however_they_arrive() -> None:
    labels = {"team": "research", "cost-center": "cc-1", "owner": "me"}
    for order in (labels, dict(reversed(labels.items()))):
        found = read({"location": PLACE, "spec": {**SPEC, "labels": order}})
        assert list(found.spec["labels"]) == ["cost-center", "owner", "team"]


def test_numbers_of_nodes_are_numbers_where_a_language_has_texts_as_keys_alone() -> None:
    promises = {"bus_gb_per_s": {"4": 360.0, "many": 350.5}}
    found = read({"location": PLACE, "spec": {**SPEC, "promises": promises, "labels": {"4": "x"}}})
    assert found.spec["promises"] == {"bus_gb_per_s": {4: 360, "many": 350.5}}
    assert found.spec["labels"] == {"4": "x"}


def test_an_output_that_is_known_is_its_value() -> None:
    training = output(value={"nodes": output(value=4.0, dependencies=["urn:pulumi:x"])})
    assert read({"location": output(value=PLACE), "spec": {**SPEC, "training": training}}).spec == SPEC


def test_each_value_that_no_preview_knows_is_named() -> None:
    place = {"region": UNKNOWN, "zone": output()}
    training = {"nodes": UNKNOWN}
    access = {"kind": "public", "cidrs": ["203.0.113.0/24", output(secret=True)]}
    given = {"location": place, "spec": {**SPEC, "training": training, "access": access}, "machine": UNKNOWN}
    later = (
        "is not known before the update, but the preview plans and prices the cluster: write its value, or read it "
        "from the stack's configuration"
    )
    places = ("location.region", "location.zone", "spec.access.cidrs[1]", "spec.training.nodes", "machine")
    assert refused(given) == [
        "gpucluster.aws.TrainingCluster trial: 5 problems",
        *(f"  {place} {later}" for place in places),
    ]
    assert refused({"location": PLACE, "spec": UNKNOWN})[1] == f"  spec {later}"


def test_secrets_and_what_is_no_value_are_refused_by_name() -> None:
    resource = {MARK: "5cf8f73096256a8f31e491e813e4eb8e", "urn": "urn:pulumi:x"}
    labels = {"a": secret("x"), "b": output(value="x", secret=True), "c": resource}
    hidden = "is a secret, but becomes part of names, labels and state; write it in plain text"
    assert refused({"location": PLACE, "spec": {**SPEC, "labels": labels}}) == [
        "gpucluster.aws.TrainingCluster trial: 3 problems",
        f"  spec.labels.a {hidden}",
        f"  spec.labels.b {hidden}",
        Says("spec.labels.c", "resource", "boolean"),
    ]


def test_a_webhook_for_alerts_may_be_a_secret() -> None:
    url = "https://alerts.example.com/s3cret"
    for hidden in (secret(url), output(value=url, secret=True)):
        found = read({"location": PLACE, "spec": {**SPEC, "telemetry": {"alerts": {"webhook": hidden}}}})
        assert found.spec["telemetry"] == {"alerts": {"webhook": url}}


def test_inputs_of_the_wrong_shape_are_told_at_once() -> None:
    assert refused({"spec": "specs/trial.yaml", "machine": 4.0, "place": PLACE}) == [
        "gpucluster.aws.TrainingCluster trial: 4 problems",
        Says("not", "location", "machine"),
        Says("specs/trial.yaml", "mapping"),
        "  location is missing; write a mapping",
        "  machine is 4; write a string",
    ]
