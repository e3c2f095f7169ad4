"""Time of a stack's first update, which writes it as an output; every later run reads it.

No resource holds it, so that it changes and rolls nothing.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, cast

import pulumi

from gpucluster.cost.estimate.trial import now

OUTPUT: Final = "begun"

_WAITS: Final = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds between attempts. In a local backend the engine writes the attributes of the state's file in place, so that a
concurrent reader finds it empty. Source: gocloud.dev v0.46.0, blob/fileblob/attrs.go, setAttrs.
"""


def beginning() -> datetime | None:
    """Time of the first update: now during that update, None in a preview before it."""
    name = "/".join((pulumi.get_organization(), pulumi.get_project(), pulumi.get_stack()))
    if written := _outputs(name).get(OUTPUT):
        return datetime.fromisoformat(written)
    return None if pulumi.runtime.is_dry_run() else now()


def _outputs(stack: str) -> Mapping[str, str]:
    for seconds in _WAITS:
        try:
            return _read(stack)
        except Exception:  # The SDK raises no narrower one.
            time.sleep(seconds)
    return _read(stack)


def _read(stack: str) -> Mapping[str, str]:
    # The engine itself answers, from the stack's last state; a StackReference would be a resource of the stack.
    # Source: pulumi/pulumi v3.250.0, pkg/resource/deploy/builtins.go, readStackOutputs.
    answer = cast(Any, pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", {"name": stack})).value
    return cast(Mapping[str, str], (answer or {}).get("outputs") or {})
