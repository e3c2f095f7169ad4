"""Pulumi command lines: command words, stack, folder; those that the sandbox refuses, and those that need an intact
state.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gpucluster.errors import InputError

_ALIASES: Final = {
    "pre": "preview",
    "update": "up",
    "down": "destroy",
    "dn": "destroy",
    "new": "init",
    "remove": "rm",
    "remove-all": "rm-all",
    "copy": "cp",
}
_WITH_SUBCOMMANDS: Final = frozenset({"config", "stack", "state", "policy", "plugin", "org", "env", "package"})
# Flags of every command that take a value as the next argument.
_VALUE_FLAGS: Final = frozenset(
    {"-C", "--cwd", "-s", "--stack", "--color", "-v", "--verbose", "--tracing", "--profiling", "--config-file"}
)


@dataclass(frozen=True)
class CommandLine:
    """A parsed `pulumi ...`; args stay as the user wrote them."""

    args: tuple[str, ...]

    @classmethod
    def of(cls, args: Sequence[str]) -> CommandLine:
        """The command line of these arguments."""
        return cls(tuple(args))

    @property
    def words(self) -> tuple[str, ...]:
        """The command and any subcommand, e.g. ("stack", "init"); aliases resolved."""
        bare = self._bare()
        command = _ALIASES.get(bare[0], bare[0]) if bare and bare[0] != "new" else "".join(bare[:1])
        if not command:
            return ()
        if command in _WITH_SUBCOMMANDS and len(bare) > 1:
            return (command, _ALIASES.get(bare[1], bare[1]))
        return (command,)

    @property
    def operands(self) -> tuple[str, ...]:
        """The arguments after the command words that are not flags."""
        return tuple(self._bare()[len(self.words) :])

    @property
    def wants_help(self) -> bool:
        """Whether this only prints help or a version."""
        return not self.words or self.words[0] in ("help", "version") or bool({"-h", "--help"} & {*self.args})

    def _bare(self) -> list[str]:
        found: list[str] = []
        skip = False
        for arg in self.args:
            if skip:
                skip = False
            elif arg == "--":
                break
            elif arg in _VALUE_FLAGS:
                skip = True
            elif not arg.startswith("-"):
                found.append(arg)
        return found

    def has(self, *flags: str) -> bool:
        """Whether one of these flags is given."""
        return any(arg in flags or arg.startswith(tuple(f"{flag}=" for flag in flags)) for arg in self.args)

    def value(self, long: str, short: str | None = None) -> str | None:
        """The value of a flag in any of its spellings, None when it is not given."""
        for index, arg in enumerate(self.args):
            if arg in (long, short):
                return self.args[index + 1] if index + 1 < len(self.args) else None
            if arg.startswith(f"{long}="):
                return arg.removeprefix(f"{long}=")
            if short and arg.startswith(short) and not arg.startswith("--") and len(arg) > len(short):
                return arg.removeprefix(short).removeprefix("=")
        return None

    def values(self, flag: str) -> list[str]:
        """The values of a repeatable flag."""
        after = zip(("", *self.args), self.args, strict=False)
        return [arg.removeprefix(f"{flag}=") for before, arg in after if before == flag or arg.startswith(f"{flag}=")]

    def without(self, long: str, short: str | None = None, *, takes_value: bool = True) -> CommandLine:
        """The command line without a flag."""
        kept: list[str] = []
        skip = False
        for arg in self.args:
            if skip:
                skip = False
            elif arg in (long, short):
                skip = takes_value
            elif not arg.startswith(f"{long}="):
                kept.append(arg)
        return CommandLine(tuple(kept))

    def with_flags(self, *flags: str) -> CommandLine:
        """The command line with more flags, before any `--`."""
        at = self.args.index("--") if "--" in self.args else len(self.args)
        return CommandLine((*self.args[:at], *flags, *self.args[at:]))

    def folder(self, cwd: Path) -> Path:
        """The folder in which Pulumi would look for the project."""
        return (cwd / (self.value("--cwd", "-C") or ".")).resolve()


_REFUSED: Final[Mapping[tuple[str, ...], str]] = {
    **{
        ("config", word): "would write the stack's file with values of another place: edit {file} instead"
        for word in ("cp", "refresh", "env")
    },
    ("stack", "change-secrets-provider"): "is for a real account: in the sandbox a random passphrase encrypts",
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
    """Raises InputError for a command that the sandbox does not run, and for policy packs that the engine would leave
    out or not find. file: that of the stack in the working tree.
    """
    reason = _REFUSED.get(line.words)
    if reason is not None:
        raise InputError(f"`pulumi {' '.join(line.words)}` {reason.format(file=os.path.relpath(file))}")
    packs = [pack for value in line.values("--policy-pack") for pack in value.split(",")]
    if problems := [*filter(None, (_no_pack(pack, line.folder(Path.cwd())) for pack in packs))]:
        raise InputError("\n".join(problems))


def _no_pack(pack: str, cwd: Path) -> str:
    """Why a value of --policy-pack is no policy pack; empty if it is one."""
    folder = cwd / pack
    if pack and (folder / "PulumiPolicy.yaml").is_file():
        return ""
    # Empty such as `--policy-pack "$(gpucluster guardrails pack acme)"` where acme is refused.
    seen = repr(pack) if pack else "empty, so no rule would run"
    by_name = f'"$(gpucluster guardrails pack {shlex.quote(pack if pack and folder.is_dir() else "training")})"'
    return f"--policy-pack is {seen}; write a folder with a PulumiPolicy.yaml, or for rules of gpucluster {by_name}"


def reads_state(line: CommandLine) -> bool:
    """Whether a command only works on an intact state, in addition to those that run a program."""
    return line.words[0] in ("stack", "state", "logs") and line.words not in _WITHOUT_STATE
