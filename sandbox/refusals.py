"""Pulumi commands that the sandbox refuses, and those that need an intact state."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gpucluster.errors import InputError
from gpucluster.sandbox.arguments import CommandLine

_WRITES: Final = "writes the stack's file in the working tree, which the sandbox never does"
_REFUSED: Final[Mapping[tuple[str, ...], str]] = {
    **{
        ("config", word): f"{_WRITES}: edit {{file}} instead"
        for word in ("set", "set-all", "rm", "rm-all", "cp", "refresh", "env")
    },
    ("stack", "change-secrets-provider"): f"{_WRITES}: in the sandbox a random passphrase encrypts",
    ("new",): "writes a project into the working tree: use a real `pulumi new`",
    ("login",): "would leave the sandbox's own state: use a real `pulumi login`",
    ("logout",): "would leave the sandbox's own state: use a real `pulumi logout`",
}
_WITHOUT_STATE: Final = frozenset(
    {
        *(("stack", word) for word in ("export", "import", "init", "ls", "rm", "select", "unselect")),
        ("state", "repair"),
    }
)
"""Commands for stacks and states that the engine carries out on a state that it would otherwise refuse."""


def refuse_command(line: CommandLine, file: Path) -> None:
    """Raises InputError for a command that the sandbox does not run. file: that of the stack in the working tree."""
    reason = _REFUSED.get(line.words)
    if reason is not None:
        if line.words[0] == "config" and not file.exists():
            reason += ", which does not exist yet: a mapping such as `config: {{aws:region: us-east-1}}`"
        raise InputError(f"`pulumi {' '.join(line.words)}` {reason.format(file=os.path.relpath(file))}")


def reads_state(line: CommandLine) -> bool:
    """Whether a command only works on an intact state, in addition to those that run a program."""
    return line.words[0] in ("stack", "state", "logs") and line.words not in _WITHOUT_STATE
