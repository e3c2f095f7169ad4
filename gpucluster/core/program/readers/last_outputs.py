"""The outputs of the running stack and of its resources after its last update, from the engine."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final, cast

import pulumi

_WAITS: Final = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds between attempts. In a local backend the engine writes the attributes of the state's file in place, so that a
concurrent reader finds it empty. Source: gocloud.dev v0.46.0, blob/fileblob/attrs.go, setAttrs.
"""


def last_outputs() -> Mapping[str, Any]:
    """Empty before the first update. The SDK sends what is queued while it waits for the answer."""
    return stack_outputs(pulumi.get_stack()) or {}


def stack_outputs(stack: str) -> Mapping[str, Any] | None:
    """Those of any stack, which may name its organization and project; None without an engine.

    Raises Exception if the stack does not exist.
    """
    return _read("readStackOutputs", "name", stack)


def last_resources() -> Mapping[str, Any]:
    """URN -> `type` and `outputs` of each resource; empty before the first update, and for a stack without outputs.

    Of a stack that was never updated the engine can't be asked: it crashes, because there is no state. Source:
    pulumi/pulumi v3.250.0, pkg/backend/backend.go, GetStackResourceOutputs.
    """
    return (_read("readStackResourceOutputs", "stackName", pulumi.get_stack()) or {}) if last_outputs() else {}


def _read(function: str, argument: str, name: str) -> Mapping[str, Any] | None:
    stack = name if "/" in name else "/".join((pulumi.get_organization(), pulumi.get_project(), name))
    for seconds in _WAITS:
        try:
            return _answer(function, {argument: stack})
        except Exception:  # The SDK raises no narrower one.
            time.sleep(seconds)
    return _answer(function, {argument: stack})


def _answer(function: str, arguments: Mapping[str, str]) -> Mapping[str, Any] | None:
    # The engine itself answers, from the stack's last state; a StackReference would be a resource of the stack.
    # Source: pulumi/pulumi v3.250.0, pkg/resource/deploy/builtins.go, readStackOutputs and readStackResourceOutputs.
    answer = cast(Any, pulumi.runtime.invoke(f"pulumi:pulumi:{function}", arguments)).value
    return cast("Mapping[str, Any] | None", (answer or {}).get("outputs"))
