"""What is asked of a real API server, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gpucluster.sandbox.api_server.client import Client, ObjectRefused
from gpucluster.sandbox.api_server.server import Server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def client(server: Server) -> Client:
    return Client(server)


def _object(kind: str, name: str, namespace: str | None = None, **rest: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **rest}


def _definition(kind: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    plural = f"{kind.lower()}s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": schema}}},
                }
            ],
        },
    }


def test_an_applied_object_is_kept_with_what_the_server_adds_and_a_rehearsed_one_is_not(client: Client) -> None:
    document = _object("ConfigMap", "kept", "default", data={"a": "b"})
    assert client.apply(document, dry_run=True)["data"] == {"a": "b"}
    assert client.get(document) is None
    assert client.apply(document)["metadata"]["uid"]
    changed = client.apply({**document, "data": {"c": "d"}})
    assert changed["data"] == {"c": "d"}, "what is not declared any more is removed"
    client.delete(document)
    client.delete(document)
    assert client.get(document) is None


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (_object("ConfigMap", "m", "default", dat={"a": "b"}), ".dat: field not declared in schema"),
        (_object("ConfigMap", "A B", "default"), 'Invalid value: "A B"'),
        (_object("ConfigMap", "m", "nowhere"), 'namespaces "nowhere" not found'),
        (_object("Gadget", "m"), 'no matches for kind "Gadget" in version "v1"'),
    ],
)
def test_what_the_server_refuses_is_in_its_own_words(client: Client, document: dict[str, Any], message: str) -> None:
    with pytest.raises(ObjectRefused) as caught:
        client.apply(document)
    assert message in str(caught.value)


def test_a_defined_kind_is_judged_by_its_schema_and_its_rules(client: Client) -> None:
    rule = {"rule": "self.least <= self.most", "message": "least is above most"}
    amounts = {"least": {"type": "integer"}, "most": {"type": "integer"}}
    client.define(
        [_definition("Gadget", {"type": "object", "properties": amounts, "x-kubernetes-validations": [rule]})]
    )
    gadget = {**_object("Gadget", "g", "default"), "apiVersion": "example.com/v1"}
    assert client.apply({**gadget, "spec": {"least": 1, "most": 2}})["spec"] == {"least": 1, "most": 2}
    for spec, message in (({"least": 3, "most": 2}, "least is above most"), ({"lest": 1}, ".spec.lest: field not")):
        with pytest.raises(ObjectRefused) as caught:
            client.apply({**gadget, "spec": spec})
        assert message in str(caught.value)


def test_a_deleted_namespace_takes_all_along_and_can_be_made_again(client: Client) -> None:
    space, inside = _object("Namespace", "short-lived"), _object("ConfigMap", "m", "short-lived")
    for _ in range(2):
        client.apply(space)
        client.apply(inside)
        client.delete(space)
        assert (client.get(space), client.get(inside)) == (None, None)


def test_an_object_is_made_listed_by_its_labels_and_changed_in_parts(client: Client) -> None:
    node = _object("Node", "one", status={"capacity": {"cpu": "8"}})
    node["metadata"]["labels"] = {"pool": "a"}
    assert client.create(node)["status"]["capacity"] == {"cpu": "8"}
    client.patch(node, {"metadata": {"labels": {"new": "b"}}})
    condition = {"type": "Ready", "status": "True", "reason": "a"}
    for type_ in ("Ready", "Other"):
        change = {"status": {"conditions": [{**condition, "type": type_}]}}
        client.patch(node, change, part="status", merge="strategic-merge")
    [found] = client.list("v1", "Node", labels="pool=a")
    assert (found["kind"], found["metadata"]["labels"]) == ("Node", {"pool": "a", "new": "b"})
    assert {item["type"] for item in found["status"]["conditions"]} == {"Ready", "Other"}
    client.delete(node)
    assert client.list("v1", "Node", labels="pool=a") == []
