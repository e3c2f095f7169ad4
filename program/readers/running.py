"""Captures every resource of the running program, without waiting for the engine.

The SDK sends nothing to the engine before the program has run to its end, so at that point every resource object
exists and none is registered: the time to cost a plan, and to refuse it. `running_values` describes the values.

Not captured: resources created before `watch()`, resources created inside an `apply`, resources another program owns
(`.get`), and changes by a transform (not transformation) on the engine's side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi
from pulumi.runtime import get_root_resource, register_stack_transformation

from gpucluster.program.readers.private_sdk import is_remote, provider_of
from gpucluster.program.readers.queued import Queued
from gpucluster.program.readers.running_values import Declared, ValueReader
from gpucluster.program.readers.sdk_names import top
from gpucluster.program.resources import UNKNOWN, Resource, Resources, region_key

_STACK_TYPE: Final = "pulumi:pulumi:Stack"


class Watched:
    """The resources created since `watch()`, or those that `see` is a transformation of.

    regions: package -> region of resources that name none and whose provider is not captured.
    """

    def __init__(self, regions: Mapping[str, str] | None = None) -> None:
        self._regions = dict(regions or {})
        self._seen: list[Declared] = []
        self._queued = Queued()
        self._over = False

    def see(self, args: pulumi.ResourceTransformationArgs) -> None:
        """Capture a resource, as a transformation of resources and of their children."""
        if self._over:
            return
        self._seen.append(Declared(args.resource, args.type_, args.name, args.props, args.opts))

    def resources(self) -> Resources:
        """Every captured resource, in the form that all sources share."""
        return _Reader(self._seen, self._regions).resources()

    def stop(self) -> None:
        """Capture no further resource."""
        self._over = True

    def withdraw(self) -> None:
        """Keep captured resources from reaching the engine; for a program that is about to refuse its own plan."""
        self._queued.withdraw()


def watch() -> Watched:
    """Start to capture resources; call it once, before the program creates any."""
    watched = Watched()
    register_stack_transformation(watched.see)
    return watched


class _Reader:
    """Converts captured objects to resources."""

    def __init__(self, seen: Sequence[Declared], regions: Mapping[str, str]) -> None:
        self._regions = regions
        # resources of other programs are not part of this stack
        self._seen = [item for item in seen if item.opts.id is None and item.opts.urn is None]
        self._by_object = {id(item.resource): item for item in self._seen}
        self._prefix = f"urn:pulumi:{pulumi.get_stack()}::{pulumi.get_project()}::"
        self._urns: dict[int, str] = {}
        self._values = ValueReader(self._seen, self._urn)

    def resources(self) -> Resources:
        packages = {item.type.split(":", 1)[0] for item in self._seen} - {"pulumi"}
        regions = {
            package: region for package in packages if (region := pulumi.Config(package).get(region_key(package)))
        }
        root = get_root_resource()
        stack = [] if root is None else [self._stack(root)]
        return Resources([*stack, *map(self._resource, self._seen)], default_regions={**regions, **self._regions})

    def _stack(self, root: pulumi.Resource) -> Resource:
        name = root.pulumi_resource_name
        outputs: dict[str, Any] = getattr(root, "outputs", {})
        known = {key: value for key, value in outputs.items() if isinstance(value, str)}
        return Resource(urn=self._urn(root), type=_STACK_TYPE, name=name, custom=False, outputs=known)

    def _resource(self, item: Declared) -> Resource:
        inputs: dict[str, Any] = {}
        dependencies: dict[str, tuple[str, ...]] = {}
        names = top(item.resource)
        for key, given in item.props.items():
            if given is None:
                continue
            behind: dict[str, None] = {}
            name = names.name(key)
            try:
                value = self._values.plain(given, names.member(name), behind)
            except Exception:  # only the SDK can read this value, and its result is unknown here
                value = UNKNOWN
            if value is not None:
                inputs[name] = value
                if behind:
                    dependencies[name] = tuple(behind)
        custom = isinstance(item.resource, pulumi.CustomResource)
        provider = provider_of(item.resource) if isinstance(item.resource, pulumi.CustomResource) else None
        return Resource(
            urn=self._urn(item.resource),
            type=item.type,
            name=item.name,
            inputs=inputs,
            custom=custom,
            parent=self._parent(item),
            provider=self._urn(provider) if provider is not None and id(provider) in self._by_object else None,
            dependencies=dependencies,
            remote=is_remote(item.resource),
        )

    def _parent(self, item: Declared) -> str | None:
        parent = item.opts.parent or get_root_resource()
        return None if parent is None or _elsewhere(parent) else self._urn(parent)

    def _urn(self, resource: pulumi.Resource) -> str:
        """The URN as the engine builds it: stack, project, types of the parents and its own, name."""
        found = self._urns.get(id(resource))
        if found is None:
            item = self._by_object.get(id(resource))
            type_ = item.type if item else resource.pulumi_resource_type
            name = item.name if item else resource.pulumi_resource_name
            parent = item.opts.parent if item else None
            if parent is not None and not _elsewhere(parent) and parent.pulumi_resource_type != _STACK_TYPE:
                above = self._urn(parent).split("::")[2]
                type_ = f"{above}${type_}"
            found = self._urns[id(resource)] = f"{self._prefix}{type_}::{name}"
        return found


def _elsewhere(resource: pulumi.Resource) -> bool:
    """Whether it is a placeholder for a resource of the program that requested this component; it has only a URN."""
    return isinstance(resource, pulumi.resource.DependencyResource)
