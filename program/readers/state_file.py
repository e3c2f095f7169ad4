"""Reads `pulumi stack export`: existing resources, as the engine recorded them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeGuard

from gpucluster.program.readers.errors import NotReadable
from gpucluster.program.readers.records import resource_of
from gpucluster.program.resources import Resources
from gpucluster.program.values import is_list, is_object

_COMMAND: Final = "pulumi stack export"


def is_state(document: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether the document has the form of a state."""
    return is_object(document) and is_object(document.get("deployment"))


def read_state(document: Mapping[str, Any], what: str) -> Resources:
    """The resources of the stack, without those that another program owns or that are pending deletion."""
    records = document["deployment"].get("resources", [])
    if not is_list(records):
        raise NotReadable(f"{what}: deployment.resources is not a list; write it with `{_COMMAND}`")
    return Resources(
        resource_of(record, what, _COMMAND)
        for record in records
        if not (is_object(record) and (record.get("external") is True or record.get("delete") is True))
    )
