"""Applies a rule's remediation to the properties that the engine sent.

A remediation runs for one resource before its creation, before any component has registered facts: the rule knows only
its configuration. Anything it cannot remediate is a finding of the rule once it checks the stack.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from google.protobuf.struct_pb2 import Struct, Value
from pulumi.runtime.proto.analyzer_pb2 import AnalyzeRequest

from gpucluster.core.program.readers.policy import provider_of, resource_of
from gpucluster.core.program.readers.records import SIGNATURE
from gpucluster.policies.engine.rule import Edit, StackRule


def remediated(rule: StackRule, request: AnalyzeRequest, config: Mapping[str, Any]) -> Struct | None:
    """All properties with the rule's edits, None if there is nothing to write."""
    assert rule.remedy is not None
    _, remedy = rule.remedy
    try:
        properties = Value(struct_value=request.properties)
        edits = list(remedy(resource_of(request), provider_of(request), config))
        for edit in edits:
            _write(properties, edit)
    except Exception as error:  # the rule reports the problem; the error's text may hold a secret
        print(f"{rule.name}: {request.name} is unchanged: {type(error).__name__}", flush=True)
        return None
    return properties.struct_value if edits else None


def _write(properties: Value, edit: Edit) -> None:
    """Merges the edit's value into its place; everything else stays as the engine sent it.

    TypeError if something on the path is neither a map nor a list, or is a secret as a whole.
    """
    at = properties
    for step in edit.place:
        if isinstance(step, int):
            raise TypeError
        at = _members(at).fields[step]
    if not isinstance(edit.value, list):
        _members(at).update(edit.value)
    elif at.WhichOneof("kind") in (None, "null_value", "list_value"):
        at.list_value.extend(cast("list[Any]", edit.value))
    else:
        raise TypeError


def _members(value: Value) -> Struct:
    """The members of a map; a missing map becomes an empty one."""
    if value.WhichOneof("kind") not in (None, "null_value", "struct_value") or SIGNATURE in value.struct_value.fields:
        raise TypeError
    return value.struct_value
