"""Runs the command that writes a plan or a state, in place of reading a file."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import Final

from gpucluster.program.readers.errors import NotReadable

SET_VARIABLE: Final = "GPUCLUSTER_SET"
"""Overrides spec values of our programs for one preview, as a JSON object with string values."""

_EXAMPLE: Final = "write for example --run 'pulumi preview --stack dev'"
_PLAN: Final = ("--json", "--show-sames")
_SHOWN: Final = 15
"""Lines shown of a failed command's output."""


def arguments_of(command: str) -> list[str]:
    """The words of a command; a preview gets options for complete JSON. NotReadable describes an unusable one."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise NotReadable(f"--run: {command!r} cannot be split into words: {error}; {_EXAMPLE}") from None
    if not words:
        raise NotReadable(f"--run is empty; {_EXAMPLE}")
    if shutil.which(words[0]) is None:
        raise NotReadable(f"--run: there is no command {words[0]!r}; name one on PATH or by its path")
    if "preview" in words:
        words += [option for option in _PLAN if option not in words]
    return words


def run(words: Sequence[str], values: Mapping[str, str], *, quiet: bool = False) -> str:
    """The output of the command. NotReadable if it fails without a plan.

    A preview that ends in an error still writes a plan, which contains the error. No shell is used.

    values: for the spec of our programs, by field. quiet: hide its stderr, unless it fails.
    """
    environment = {**os.environ, SET_VARIABLE: json.dumps(dict(values))} if values else dict(os.environ)
    try:
        done = subprocess.run(
            words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE if quiet else None, text=True,
            encoding="utf-8", errors="replace", check=False,
        )  # fmt: skip
    except OSError as error:
        raise NotReadable(f"--run: {shlex.join(words)} cannot be run: {error.strerror}") from None
    if done.returncode and not done.stdout.lstrip().startswith("{"):
        said = [line for text in (done.stdout, done.stderr) for line in (text or "").splitlines() if line.strip()]
        raise NotReadable("\n".join([f"--run: {shlex.join(words)} ended with {done.returncode}", *said[-_SHOWN:]]))
    return done.stdout
