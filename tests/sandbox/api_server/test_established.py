"""When the objects of a custom kind can be created, without a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gpucluster.sandbox.api_server.client import Client

DEFINITION = {
    "spec": {
        "group": "example.com",
        "names": {"kind": "Job"},
        "versions": [{"name": "v1", "served": True}, {"name": "v2", "served": True}, {"name": "v0", "served": False}],
    }
}


class Paper(Client):
    """A server with a definition in some condition that knows some kinds."""

    def __init__(self, there: Mapping[str, Any] | None, *known: str) -> None:
        self.there, self.known = there, known

    def get(self, document: Mapping[str, Any]) -> dict[str, Any] | None:
        return dict(self.there) if document is DEFINITION and self.there is not None else None

    def knows(self, api_version: str, kind: str) -> bool:
        return f"{api_version}:{kind}" in self.known


def _with(type_: str, status: str) -> dict[str, Any]:
    return {"status": {"conditions": [{"type": "NamesAccepted", "status": "True"}, {"type": type_, "status": status}]}}


@pytest.mark.parametrize(
    ("there", "known", "established"),
    [
        (_with("Established", "True"), ("example.com/v1:Job", "example.com/v2:Job"), True),
        (_with("Established", "True"), ("example.com/v1:Job",), False),
        (_with("Established", "False"), ("example.com/v1:Job", "example.com/v2:Job"), False),
        (_with("Terminating", "True"), ("example.com/v1:Job", "example.com/v2:Job"), False),
        ({}, ("example.com/v1:Job", "example.com/v2:Job"), False),
        (None, ("example.com/v1:Job", "example.com/v2:Job"), False),
    ],
)
def test_a_kind_is_established_once_each_served_version_is_known(
    there: Mapping[str, Any] | None, known: tuple[str, ...], established: bool
) -> None:
    assert Paper(there, *known)._established(DEFINITION) is established
