"""Kernel modules of NVIDIA's driver on a node, as JSON; the diagnosis prints it before its own.

A module has its version in /sys/module/NAME/version, which every container of the node can read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.operate.acceptance.measurements import Modules

_FIELD: Final = "kernelModules"

SCRIPT: Final = (
    "found=; for path in /sys/module/nvidia*/version; do "
    '[ -e "$path" ] && name=${path#/sys/module/} && '
    'found="$found${found:+, }\\"${name%/version}\\": \\"$(cat "$path")\\""; '
    f'done; echo "{{\\"{_FIELD}\\": {{$found}}}}"'
)
"""For a POSIX shell."""


def recognise(data: Any) -> bool:
    """Whether parsed JSON is such a log."""
    return isinstance(data, dict) and _FIELD in data


def read(log: str, line: int, data: Mapping[str, Any], *, node: str | None, machine_type: str | None) -> Modules:
    """The modules. Raises AttributeError if the field is no object."""
    versions = {str(name): str(version) for name, version in data[_FIELD].items()}
    return Modules(log=log, line=line, tool="/sys/module", node=node, machine_type=machine_type, versions=versions)
