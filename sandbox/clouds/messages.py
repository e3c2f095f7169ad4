"""Parts of the engine's messages: values sent as text, refused inputs, and effects of a change."""

from __future__ import annotations

import json
from typing import Any

from pulumi.runtime.proto import provider_pb2

from gpucluster.sandbox.clouds.diff import Change, Kind, property_names
from gpucluster.sandbox.clouds.validate import Failure
from gpucluster.sandbox.clouds.values import Secret

_KINDS = {
    (Kind.ADD, False): provider_pb2.PropertyDiff.ADD,
    (Kind.ADD, True): provider_pb2.PropertyDiff.ADD_REPLACE,
    (Kind.DELETE, False): provider_pb2.PropertyDiff.DELETE,
    (Kind.DELETE, True): provider_pb2.PropertyDiff.DELETE_REPLACE,
    (Kind.UPDATE, False): provider_pb2.PropertyDiff.UPDATE,
    (Kind.UPDATE, True): provider_pb2.PropertyDiff.UPDATE_REPLACE,
}


def decoded(value: Any) -> Any:
    """A setting of a provider; the engine sends all values except plain strings as JSON text."""
    if isinstance(value, Secret):
        return Secret(decoded(value.value))
    if (isinstance(value, str) and value[:1] in ("{", "[", '"')) or value in ("true", "false"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def failures_of(failures: list[Failure]) -> list[Any]:
    """Refused inputs in the form of Check's answer."""
    return [provider_pb2.CheckFailure(property=failure.path, reason=failure.reason) for failure in failures]


def diff_response(
    found: list[Change], replaced: list[str], derived: list[Change], *, delete_first: bool = False
) -> Any:
    """The answer to Diff.

    found: changed inputs. replaced: paths that need a new resource. derived: dependent outputs.
    """
    detailed = {
        change.path: provider_pb2.PropertyDiff(kind=_KINDS[change.kind, change.path in replaced], inputDiff=True)
        for change in found
    }
    detailed |= {
        change.path: provider_pb2.PropertyDiff(kind=_KINDS[change.kind, change.path in replaced]) for change in derived
    }
    some = provider_pb2.DiffResponse.DIFF_SOME if detailed else provider_pb2.DiffResponse.DIFF_NONE
    return provider_pb2.DiffResponse(
        changes=some,
        replaces=replaced,
        diffs=sorted({property_names(path)[0] for path in detailed}),
        detailedDiff=detailed,
        hasDetailedDiff=True,
        deleteBeforeReplace=delete_first,
    )
