"""A canary: it fails with a release of the Pulumi SDK that changes a private interface in use."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, Literal, Optional, Union, cast

import pulumi
import pytest
from pulumi.runtime.settings import SETTINGS

from gpucluster.core.program.readers import private_sdk as sdk


@pulumi.input_type
class DogArgs:
    full_name: pulumi.Input[str] = pulumi.property("fullName")
    kind: pulumi.Input[Literal["dog"]] = pulumi.property("kind")


@pulumi.input_type
class CatArgs:
    kind: pulumi.Input[Literal["cat"]] = pulumi.property("kind")


def test_argument_classes_know_their_names_and_types() -> None:
    rex = cast(Any, DogArgs)(full_name="Rex", kind="dog")
    assert (sdk.is_args_type(DogArgs), sdk.is_args_type(dict)) == (True, False)
    assert sdk.args_members(rex) == {"fullName": "Rex", "kind": "dog"}
    assert sdk.args_names(DogArgs) == {"full_name": "fullName", "kind": "kind"}
    assert {*sdk.args_types(DogArgs)} == {"fullName", "kind"}
    assert sdk.unwrapped(Optional[str]) is str  # noqa: UP045  # as generated SDKs write it
    assert sdk.case_of(Union[CatArgs, DogArgs], {"full_name": "Rex", "kind": "dog"}) is DogArgs  # noqa: UP007  # likewise
    assert sdk.case_of(DogArgs, {"kind": "dog"}) is None


def test_resources_know_their_provider_and_children_and_outputs_their_future(run_program: Callable[..., Any]) -> None:
    seen: list[object] = []

    def program() -> None:
        provider = pulumi.ProviderResource("aws", "provider", {})
        parent = pulumi.ComponentResource("test:index:Parent", "parent")
        opts = pulumi.ResourceOptions(parent=parent, provider=provider)
        child = pulumi.CustomResource("aws:sqs/queue:Queue", "child", {"delaySeconds": 1}, opts)
        future = sdk.future_of(child.urn)
        seen.append([sdk.provider_of(child) is provider, [*sdk.children_of(parent)] == [child]])
        seen.append([sdk.is_remote(parent), sdk.is_remote(child), isinstance(future, asyncio.Future)])

    run_program(program)
    assert seen == [[True, True], [False, False, True]]


def test_the_sdk_keeps_what_a_program_awaits() -> None:
    async def program() -> None:
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        late: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        sdk.reset_sdk()
        sdk.awaited_outputs().update((done, late))
        sdk.await_only([done])
        assert sdk.awaited_outputs() == {done}
        assert sdk.awaited_outputs() is cast(Any, SETTINGS).outputs
        sdk.reset_sdk()
        assert sdk.awaited_outputs() == set()

    asyncio.run(program())


@pytest.mark.parametrize("fails", [False, True])
def test_a_program_that_succeeds_adds_outputs_at_its_end(run_program: Callable[..., Any], fails: bool) -> None:
    seen: list[dict[str, Any]] = []
    kept: list[str] = []

    def program() -> None:
        root: Any = pulumi.runtime.get_root_resource()
        root.register_outputs = seen.append
        sdk.before_outputs(root, lambda: kept.append("once") or {"monthly": "1", "own": "lost"})
        pulumi.export("own", "kept")
        if fails:
            raise pulumi.RunError("wrong")

    with pytest.raises(pulumi.RunError) if fails else contextlib.nullcontext():
        run_program(program)
    assert (seen, kept) == (([{"own": "kept"}], []) if fails else ([{"monthly": "1", "own": "kept"}], ["once"]))
