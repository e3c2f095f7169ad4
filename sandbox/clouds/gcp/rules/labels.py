"""What every Google Cloud service asks of labels.

Source: Resource Manager documentation, "Labels overview", requirements for labels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.gcp.model import Thing
from gpucluster.sandbox.clouds.gcp.node_pools import NODE_POOL
from gpucluster.sandbox.clouds.gcp.rules.rule import refused, rule
from gpucluster.sandbox.type_guards import mapping

__all__: list[str] = []

_MOST: Final = 64
_LENGTH: Final = 63
_KEY: Final = re.compile(r"[^\W\d_][-\w]*")
_VALUE: Final = re.compile(r"[-\w]*")


@rule("*")
def labels_are_within_limits(thing: Thing) -> None:
    """At most 64 labels; keys and values of up to 63 lower-case letters, digits, underscores and dashes.

    A key begins with a letter. Letters of other scripts than Latin are allowed.
    """
    _check(thing, thing.labels)


@rule(NODE_POOL)
def labels_of_machines_are_within_limits(thing: Thing) -> None:
    """The same for what a node pool puts on its machines and disks."""
    _check(thing, mapping(mapping(thing.inputs.get("nodeConfig")).get("resourceLabels")))


def _check(thing: Thing, labels: Mapping[str, Any]) -> None:
    if len(labels) > _MOST:
        raise _refused(thing, f"{len(labels)} labels; a resource may have {_MOST}")
    for key, value in labels.items():
        text = str(value)
        if not 1 <= len(key) <= _LENGTH or not _KEY.fullmatch(key) or key != key.lower():
            words = f"a lower-case letter, then lower-case letters, digits, _ and -, {_LENGTH} characters at most"
            raise _refused(thing, f"label key '{key}' is not allowed; allowed: {words}")
        if len(text) > _LENGTH or not _VALUE.fullmatch(text) or text != text.lower():
            words = f"lower-case letters, digits, _ and -, {_LENGTH} characters at most"
            raise _refused(thing, f"value '{text}' of label '{key}' is not allowed; allowed: {words}")


def _refused(thing: Thing, message: str) -> Exception:
    return refused(thing, f"Invalid value for field 'labels': {message}", reason="invalid")
