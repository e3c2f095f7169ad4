"""Converts the engine's messages to a policy pack into `program.resources.Resource`.

For a single resource it sends inputs, for the stack it sends outputs. In a preview the outputs of a new resource
are mostly unknown, even those that are not set, so the inputs seen first are kept and used as the base of the
stack's view.

Secrets arrive as unmarked plain text, hence the rule that no message prints a possibly secret value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from google.protobuf.struct_pb2 import Struct, Value
from pulumi.runtime.proto.analyzer_pb2 import AnalyzeRequest, AnalyzerProviderResource, AnalyzerResource

from gpucluster.core.program.readers.records import SIGNATURE, UNKNOWN_TEXT, plain_number
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources

_SECRET: Final = "1b47061264138c4ac30d75fd1eb44270"
"""Mark of a secret (pulumi/pulumi sdk/go/common/resource/sig)."""

# Unknown string, boolean, number, array, asset, archive and object
# (pulumi/pulumi sdk/go/common/resource/plugin/rpc.go).
_UNKNOWN_TEXTS: Final = frozenset(
    {
        UNKNOWN_TEXT,
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)

_PROVIDER: Final = "pulumi:providers:"


def plain(properties: Struct) -> dict[str, Any]:
    """The properties as plain dict, list, str, int, float, bool or None, with UNKNOWN for unknown values."""
    return {name: _plain(value) for name, value in properties.fields.items()}


def _plain(value: Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        text = value.string_value
        return UNKNOWN if text in _UNKNOWN_TEXTS else text
    if kind == "struct_value":
        fields = value.struct_value.fields
        if SIGNATURE not in fields:
            return plain(value.struct_value)
        if fields[SIGNATURE].string_value == _SECRET and "value" in fields:
            return _plain(fields["value"])
        return UNKNOWN  # an asset or archive: no rule and no price reads the contents of files
    if kind == "list_value":
        return [_plain(item) for item in value.list_value.values]
    if kind == "number_value":
        return plain_number(value.number_value)
    return value.bool_value if kind == "bool_value" else None


def resource_of(sent: AnalyzeRequest) -> Resource:
    """A single resource: its inputs as the engine is about to use them."""
    return Resource(
        urn=sent.urn,
        type=sent.type,
        name=sent.name,
        inputs=plain(sent.properties),
        parent=sent.options.parent or None,
        provider=sent.provider.urn or None,
        protect=sent.options.protect,
        keeps=tuple(sent.options.ignoreChanges),
    )


def provider_of(sent: AnalyzeRequest) -> Resource | None:
    """The provider of a single resource."""
    return _of_provider(sent.provider) if sent.HasField("provider") else None


def resources_of(sent: Iterable[AnalyzerResource], inputs: Mapping[str, Mapping[str, Any]] | None = None) -> Resources:
    """All resources of the stack, with the providers that they refer to.

    inputs: URN -> inputs sent for the single resource in the same run; without them the outputs are used.
    """
    sent = list(sent)
    there = {one.urn for one in sent}
    found = {one.urn: _of_stack(one, there, (inputs or {}).get(one.urn)) for one in sent}
    for one in sent:
        if one.HasField("provider") and one.provider.urn not in found:
            found[one.provider.urn] = _of_provider(one.provider)
    return Resources(found.values())


def _of_stack(sent: AnalyzerResource, there: set[str], inputs: Mapping[str, Any] | None) -> Resource:
    # Nothing marks a component, but only a custom resource has a provider.
    custom = sent.HasField("provider") or sent.type.startswith(_PROVIDER)
    properties = plain(sent.properties)
    return Resource(
        urn=sent.urn,
        type=sent.type,
        name=sent.name,
        inputs=(properties if inputs is None else inputs) if custom else (inputs or {}),
        outputs=properties,
        custom=custom,
        parent=sent.parent if sent.parent in there else None,
        provider=sent.provider.urn or None,
        dependencies={
            name: tuple(urn for urn in behind.urns if urn in there)
            for name, behind in sent.propertyDependencies.items()
        },
        protect=sent.options.protect,
        keeps=tuple(sent.options.ignoreChanges),
        # A component of the program itself seldom registers a property, and seldom has no resource.
        remote=not custom and bool(properties),
    )


def _of_provider(sent: AnalyzerProviderResource) -> Resource:
    return Resource(urn=sent.urn, type=sent.type, name=sent.name, inputs=plain(sent.properties), custom=True)
