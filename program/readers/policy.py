"""Turn what `pulumi_policy` hands to a policy into `program.resources.Resource`.

A resource policy sees inputs, a stack policy sees outputs. In a preview the outputs of a resource still to be made are
mostly unknown, also those that nobody set, so the inputs seen first are kept and laid under the stack's view.

Reading an unknown through the SDK's wrappers raises and would end the policy; here it becomes UNKNOWN. The SDK
delivers numbers as floats (5.0 becomes 5 again) and secrets as plain text without a mark, hence the rule that no
message prints a value that could be one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from pulumi_policy import PolicyProviderResource, PolicyResource, ResourceValidationArgs, StackValidationArgs
from pulumi_policy.proxy import (
    UNKNOWN_ARCHIVE_VALUE,
    UNKNOWN_ARRAY_VALUE,
    UNKNOWN_ASSET_VALUE,
    UNKNOWN_BOOLEAN_VALUE,
    UNKNOWN_NUMBER_VALUE,
    UNKNOWN_OBJECT_VALUE,
    UNKNOWN_STRING_VALUE,
    UnknownValueError,
)

from gpucluster.program.resources import UNKNOWN, Resource, Resources

__all__ = ["plain", "provider_of", "resource_of", "resources_of"]

_UNKNOWN_TEXTS: Final = frozenset(
    {
        UNKNOWN_ARCHIVE_VALUE,
        UNKNOWN_ARRAY_VALUE,
        UNKNOWN_ASSET_VALUE,
        UNKNOWN_BOOLEAN_VALUE,
        UNKNOWN_NUMBER_VALUE,
        UNKNOWN_OBJECT_VALUE,
        UNKNOWN_STRING_VALUE,
    }
)

_PROVIDER = "pulumi:providers:"


def plain(value: object) -> Any:
    """The value as plain dict, list, str, int, float, bool or None, with UNKNOWN for what is not known yet."""
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, object]", value)
        return {key: _known(mapping, key) for key in mapping}
    if isinstance(value, Sequence) and not isinstance(value, str):
        sequence = cast("Sequence[object]", value)
        return [_known(sequence, index) for index in range(len(sequence))]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and value in _UNKNOWN_TEXTS:
        return UNKNOWN  # a remediation is shown the bare text, by which the engine stands for what is not known
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return UNKNOWN  # an asset or archive: no rule and no price reads into a file


def _known(holder: Any, key: str | int) -> Any:
    try:
        return plain(holder[key])
    except UnknownValueError:
        return UNKNOWN


def resource_of(args: ResourceValidationArgs) -> Resource:
    """The resource of a resource policy: its inputs as the engine is about to use them."""
    return Resource(
        urn=args.urn,
        type=args.resource_type,
        name=args.name,
        inputs=plain(args.props),
        parent=args.opts.parent,
        provider=args.provider.urn if args.provider else None,
        protect=args.opts.protect,
        keeps=tuple(args.opts.ignore_changes),
    )


def resources_of(args: StackValidationArgs, inputs: Mapping[str, Mapping[str, Any]] | None = None) -> Resources:
    """All resources of a stack policy, with the providers it mentions.

    inputs: URN -> inputs that a resource policy saw in the same run; without them the outputs stand in for them.
    """
    found = {resource.urn: _of_stack(resource, (inputs or {}).get(resource.urn)) for resource in args.resources}
    for resource in args.resources:
        if resource.provider is not None and resource.provider.urn not in found:
            found[resource.provider.urn] = _of_provider(resource.provider)
    return Resources(found.values())


def _of_stack(resource: PolicyResource, inputs: Mapping[str, Any] | None) -> Resource:
    # Nothing says whether a resource is a component, but only a custom resource has a provider.
    custom = resource.provider is not None or resource.resource_type.startswith(_PROVIDER)
    properties = plain(resource.props)
    return Resource(
        urn=resource.urn,
        type=resource.resource_type,
        name=resource.name,
        inputs=(properties if inputs is None else inputs) if custom else {},
        outputs=properties,
        custom=custom,
        parent=resource.parent.urn if resource.parent else None,
        provider=resource.provider.urn if resource.provider else None,
        dependencies={
            name: tuple(dependency.urn for dependency in dependencies)
            for name, dependencies in resource.property_dependencies.items()
        },
        protect=resource.opts.protect,
        keeps=tuple(resource.opts.ignore_changes),
    )


def provider_of(args: ResourceValidationArgs) -> Resource | None:
    """The provider of a resource policy's resource."""
    return None if args.provider is None else _of_provider(args.provider)


def _of_provider(provider: PolicyProviderResource) -> Resource:
    return Resource(
        urn=provider.urn, type=provider.resource_type, name=provider.name, inputs=plain(provider.props), custom=True
    )
