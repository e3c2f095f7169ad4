"""The resources on which a pending output of the SDK depends, found without waiting.

An output from `apply`, `all`, `concat`, `format`, `secret` or an invoke is a task that has not run yet. The
coroutine of that task holds the outputs it will read, as local or closed-over variables; following them leads to the
outputs of resources. Nothing is executed. If the SDK ever keeps them elsewhere, nothing is found and nothing breaks.
"""

from __future__ import annotations

import asyncio
import enum
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pulumi
from pulumi.runtime import get_root_resource, register_stack_transformation

from gpucluster.core.program.readers.private_sdk import children_of, future_of, is_remote, provider_of
from gpucluster.core.program.readers.records import plain_number
from gpucluster.core.program.readers.sdk_names import Place, members, top
from gpucluster.core.program.readers.without_engine import UnsentRegistrations
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, region_key
from gpucluster.core.program.values import is_list, is_object


def done_value(future: asyncio.Future[Any] | None) -> Any:
    """The result of a successfully completed future, else None."""
    if future is None or not future.done() or future.cancelled() or future.exception() is not None:
        return None
    return future.result()


def waits_for(future: asyncio.Future[Any] | None, known: Collection[int]) -> list[int]:
    """The `known` futures (by identity) that a pending future waits for, nearest first."""
    found: list[int] = []
    seen: set[int] = set()
    todo: list[object] = [future]
    while todo:
        current = todo.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        if id(current) in known:
            found.append(id(current))
        else:
            todo.extend(_inside(current))
    return found


def _inside(value: object) -> Iterable[object]:
    """Objects to inspect next."""
    anything = _any(value)
    if isinstance(value, pulumi.Output):
        return [future_of(anything)]
    if isinstance(value, asyncio.Task):
        return [anything.get_coro()]
    if inspect.iscoroutine(value):
        frame = value.cr_frame
        return [*(frame.f_locals.values() if frame is not None else ()), value.cr_await]
    if inspect.isfunction(value) and value.__module__.startswith("pulumi."):
        # the SDK's own helpers close over outputs; the result of a user's function may not depend on its closure
        return inspect.getclosurevars(value).nonlocals.values()
    if is_object(value):
        return value.values()
    return value if is_list(value) else ()


def _any(value: object) -> Any:
    """The value without its type: the SDK's classes are generic in their contents."""
    return value


Behind = dict[str, None]
"""URNs of the resources that a value depends on, in order of discovery."""


_PLAIN: Final[Collection[type]] = {bool, int, str, type(None)}
"""Types of values that are read unchanged."""


@dataclass(frozen=True, slots=True)
class Declared:
    """One resource as the program declared it."""

    resource: pulumi.Resource
    type: str
    name: str
    props: Mapping[str, Any]
    opts: pulumi.ResourceOptions


class ValueReader:
    """Reads values that may hold outputs of the resources it is given."""

    def __init__(self, declared: Sequence[Declared], urn: Callable[[pulumi.Resource], str]) -> None:
        self._urn = urn
        self._known = {id(item.resource) for item in declared}
        # output, by identity of its future -> its resource and property
        self._origins = {
            id(future_of(item.resource.__dict__[name])): (item, name)
            for item in declared
            # its own properties: other attributes of a component may come from anywhere
            for name in (*item.props, "id", "urn")
            if isinstance(item.resource.__dict__.get(name), pulumi.Output)
        }

    def plain(self, value: Any, place: Place, behind: Behind) -> Any:
        """The value with the engine's names; the resources it depends on are added to `behind`."""
        if type(value) in _PLAIN:
            return value
        if isinstance(value, enum.Enum):
            return self.plain(value.value, place, behind)
        if isinstance(value, int):
            return value
        if isinstance(value, str):
            return str(value)
        if isinstance(value, float):
            return plain_number(value)
        if isinstance(value, pulumi.Output):
            return self._output(value, place, behind)
        if isinstance(value, pulumi.Resource):
            self._depend([value], behind)
            return UNKNOWN
        return self._nested(value, place, behind)

    def _nested(self, value: Any, place: Place, behind: Behind) -> Any:
        """An argument object, a dict or a list; None members are omitted, as in the SDK."""
        arguments = members(value)
        if arguments is not None:
            of = value.__class__
            plain = {
                key: item if type(item) in _PLAIN else self.plain(item, place.argument(of, key), behind)
                for key, item in arguments.items()
            }
        elif is_object(value):
            inside = place.inside(value)
            # not .items(): a dict of outputs may override it
            pairs = [(inside.name(key), value[key]) for key in value]
            plain = {
                key: item if type(item) in _PLAIN else self.plain(item, inside.member(key), behind)
                for key, item in pairs
            }
        elif is_list(value):
            element = place.element()
            return [self.plain(item, element, behind) for item in value]
        else:
            return UNKNOWN  # an asset, or a value only the SDK can wait for
        return {key: item for key, item in plain.items() if item is not None}

    def _output(self, output: Any, place: Place, behind: Behind) -> Any:
        future = future_of(output)
        origin = self._origins.get(id(future))
        if origin is not None:
            item, name = origin
            self._depend([item.resource], behind)
            echoed = None if name in ("id", "urn") else item.props.get(name)
            value = UNKNOWN if echoed is None else self.plain(echoed, place, {})
            return UNKNOWN if _has_unknown(value) else value
        data = done_value(future)
        if data is not None:
            self._depend(data.resources, behind)
            return UNKNOWN if data.is_secret or not data.is_known else self.plain(data.value, place, behind)
        self._depend([self._origins[key][0].resource for key in waits_for(future, self._origins)], behind)
        return UNKNOWN

    def _depend(self, resources: Iterable[pulumi.Resource], behind: Behind) -> None:
        """Record custom resources themselves, and for a component its children, as the SDK does."""
        todo = list(resources)
        while todo:
            resource = todo.pop(0)
            if isinstance(resource, pulumi.ComponentResource):
                todo.extend(children_of(resource))
            elif id(resource) in self._known:
                behind[self._urn(resource)] = None


def _has_unknown(value: Any) -> bool:
    if is_object(value):
        return any(map(_has_unknown, value.values()))
    if is_list(value):
        return any(map(_has_unknown, value))
    return value is UNKNOWN


_STACK_TYPE: Final = "pulumi:pulumi:Stack"


class Watched:
    """The resources created since `watch()`, or those that `see` is a transformation of.

    regions: package -> region of resources that name none and whose provider is not captured.
    """

    def __init__(self, regions: Mapping[str, str] | None = None) -> None:
        self._regions = dict(regions or {})
        self._seen: list[Declared] = []
        self._queued = UnsentRegistrations()
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
