"""The resources on which a pending output of the SDK depends, found without waiting.

An output from `apply`, `all`, `concat`, `format`, `secret` or an invoke is a task that has not run yet. The
coroutine of that task holds the outputs it will read, as local or closed-over variables; following them leads to the
outputs of resources. Nothing is executed. If the SDK ever keeps them elsewhere, nothing is found and nothing breaks.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Collection, Iterable
from typing import Any

import pulumi

from gpucluster.program.readers.private_sdk import future_of
from gpucluster.program.values import is_list, is_object


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
