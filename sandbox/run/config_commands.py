"""`config set`, `set-all`, `rm` and `rm-all`. Plain values go into the stack's file of the working tree.
Secrets go into the sandbox's own file of the stack, encrypted by its passphrase, which no account knows.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from gpucluster.core.text.terminal import note
from gpucluster.errors import InputError
from gpucluster.sandbox.project import stacks
from gpucluster.sandbox.project.project import Project
from gpucluster.sandbox.run.arguments import CommandLine

WRITE_CONFIG: Final = frozenset({("config", word) for word in ("set", "set-all", "rm", "rm-all")})
"""Commands that write the configuration of a stack."""


def config_file(project: Project, line: CommandLine, stack: str) -> Path:
    """The file that the command writes. Raises InputError for secrets that the sandbox can't keep."""
    if given := line.value("--config-file"):
        return Path(given)
    if not line.has("--secret"):
        return project.stack_file(stack)
    if line.words == ("config", "set-all"):
        raise InputError("the sandbox keeps secrets one by one: use `config set --secret KEY` for each")
    if line.has("--path"):
        raise InputError("the sandbox keeps a secret as a whole value: remove --path")
    return stacks.own_file(project, stack)


def wrote_config(project: Project, line: CommandLine, stack: str) -> None:
    """Reports the file that a command wrote, and deletes the secrets that it replaced."""
    if line.has("--config-file"):
        return
    file = os.path.relpath(config_file(project, line, stack))
    if line.has("--secret"):
        note(f"Kept encrypted in {file}, for the sandbox only; an account needs `pulumi config set --secret` too")
    else:
        stacks.forget_secrets(project, stack, _keys(project, line))
        note(f"Wrote {file}")


def _keys(project: Project, line: CommandLine) -> list[str]:
    """The keys that a command sets or removes, with their namespaces."""
    match line.words:
        case (_, "set"):
            words = line.operands[:1]
        case (_, "set-all"):
            words = tuple(pair.partition("=")[0] for pair in line.values("--plaintext"))
        case _:
            words = line.operands
    return [stacks.full_key(project, word) for word in words]
