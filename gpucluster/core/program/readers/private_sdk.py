"""Every private interface of the Pulumi SDK in use: mend this file for a release that changes one.

`tests/gpucluster/core/program/readers/test_private_sdk.py` fails with such a release. Three interfaces have no function
here, and are tested with their modules: `gpucluster/core/light_import.py` imports `pulumi.runtime.proto` below empty
modules in place of `pulumi` and `pulumi.runtime`; `components/resources/lazy_sdk.py` imports resources of an SDK from
the files of their names, without the package; `components/stack/declaration.py` limits the calls that the SDK records
for a resource.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast

import pulumi
from pulumi import _types  # pyright: ignore[reportPrivateUsage]
from pulumi.runtime.mocks import MockMonitor
from pulumi.runtime.settings import SETTINGS, get_monitor

_SETTINGS: Final = cast(Any, SETTINGS)


def is_args_type(of: type) -> bool:
    """Whether it is an argument class, as generated SDKs have."""
    return _types.is_input_type(of)


def args_members(args: object) -> dict[str, Any]:
    """Members of an argument object by the engine's names."""
    return _types.input_type_to_dict(args)


def args_names(args: type) -> Mapping[str, str]:
    """Python name of a property of an argument class -> the engine's."""
    return _types.input_type_py_to_pulumi_names(args)


def args_types(args: type) -> Mapping[str, Any]:
    """Property of an argument class, by the engine's name -> its type."""
    return _types.input_type_types(args)


def unwrapped(hint: Any) -> Any:
    """A type without `Optional` and the SDK's `Input`."""
    return _types.unwrap_type(hint)


def case_of(union: Any, value: Mapping[str, Any]) -> Any:
    """The class of a discriminated union that a dict is for; None for another type."""
    return _types.reduce_discriminated_union(union, value, _types._py_name_for)  # pyright: ignore[reportPrivateUsage]


def provider_of(resource: pulumi.CustomResource) -> pulumi.ProviderResource | None:
    """Its explicit provider."""
    return resource._provider  # pyright: ignore[reportPrivateUsage]


def is_remote(resource: pulumi.Resource) -> bool:
    """Whether a plugin builds it."""
    return getattr(resource, "_remote", False) is True


def children_of(component: pulumi.ComponentResource) -> Iterable[pulumi.Resource]:
    """The resources declared with it as their parent."""
    return component._childResources  # pyright: ignore[reportPrivateUsage]


def future_of(output: pulumi.Output[Any]) -> asyncio.Future[Any] | None:
    """The future that holds all of an output's state, None if this SDK keeps it elsewhere."""
    # read from __dict__: a missing attribute of an output does not fail, it creates another output
    return output.__dict__.get("_data")


def awaited_outputs() -> set[asyncio.Future[Any]]:
    """Values that the SDK waits for at the end of a program."""
    return _SETTINGS.outputs


def await_only(outputs: Iterable[asyncio.Future[Any]]) -> None:
    """Take others from the values that the SDK waits for."""
    with _SETTINGS.lock:
        awaited_outputs().intersection_update(outputs)


def reset_sdk() -> None:
    """The SDK keeps these per process, and those of the last program belong to another event loop."""
    _SETTINGS.rpc_manager.clear()
    _SETTINGS.outputs.clear()


def before_outputs(of: pulumi.Resource, do: Callable[[], Mapping[str, Any]]) -> None:
    """Runs `do` once before the outputs of a component are registered, and adds the result to them.

    of: a component, or the stack, whose outputs the SDK registers at the end of a program; unless that fails.
    """
    component = cast(Any, of)
    register: Callable[[Mapping[str, Any]], None] = component.register_outputs

    def registering(outputs: Mapping[str, Any]) -> None:
        component.register_outputs = register
        # The SDK also registers them while the program's error is on its way.
        more: Mapping[str, Any] = do() if sys.exc_info()[0] is None else {}
        register({**more, **outputs})

    component.register_outputs = registering


def has_engine() -> bool:
    """Whether an engine answers, and not the mocks of a unit test."""
    return not isinstance(get_monitor(), MockMonitor)
