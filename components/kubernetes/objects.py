"""Custom objects. The program fills them in, so no plan checks them again: tests hold the objects of every example
against the published definitions on a real API server.
"""

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.meta import v1 as meta

from gpucluster.record import record


@record
class Kind:
    """nested: False where its fields stand beside `metadata`, not in a `spec`."""

    api_version: str
    name: str
    nested: bool = True


def custom_object(
    name: str,
    kind: Kind,
    spec: Mapping[str, Any],
    *,
    object_name: str,
    labels: Mapping[str, str] | None = None,
    namespace: pulumi.Input[str] | None = None,
    annotations: Mapping[str, str] | None = None,
    opts: pulumi.ResourceOptions,
) -> pulumi.CustomResource:
    """Registers a custom object. labels: beside those of the component. namespace: of a kind that has one."""
    metadata = meta.ObjectMetaArgs(
        name=object_name,
        namespace=namespace,
        labels=dict(labels) if labels else None,
        annotations=dict(annotations) if annotations else None,
    )
    if not kind.nested:
        # The SDK's class has no place for fields beside a spec.
        members = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": metadata, **spec}
        return pulumi.CustomResource(f"kubernetes:{kind.api_version}:{kind.name}", name, members, opts)
    return CustomResource(
        name, api_version=kind.api_version, kind=kind.name, metadata=metadata, spec=dict(spec), opts=opts
    )
