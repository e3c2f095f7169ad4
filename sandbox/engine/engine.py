"""The sandbox's model of an engine.

`pulumi ... --logtostderr -v 9` prints the same content.
"""

from __future__ import annotations

import platform
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from gpucluster.errors import Fault

INPUT_ERROR_FILE: Final = "SANDBOX_INPUT_ERROR"
"""Path at which a program that refuses its user's input writes the reason: the command then ends with that, and
exits with 2, not with Pulumi's 1. A file works with every language host, whose only other channel is an error text."""
WAITS_FILE: Final = "SANDBOX_WAITS"
"""Path of the file to which a program adds a line for each of its waits, which take no time in the sandbox: seconds and
URN of what it waits for."""

Origin = Literal["PATH", "release", "built"]


class EngineError(Fault):
    """No engine is available, or the built one does not start; the message contains the remedy."""


@dataclass(frozen=True)
class Engine:
    """A Pulumi engine that answered `version`."""

    binary: Path
    version: str
    origin: Origin
    language_host: Path | None
    """The folder of our `pulumi-language-python`; None if the engine includes its own."""


Version = tuple[int, int, int]

VERSION = "3.259.0"
ACCEPTED_FROM: Version = (3, 250, 0)
ACCEPTED_BELOW: Version = (4, 0, 0)
ACCEPTED_RANGE = "at least 3.250.0 and below 4.0.0"

ANSWERS_WITHIN = 120
"""Seconds for a program to print its version, on a busy machine; one that takes longer does not run."""

DOWNLOAD_BASE = "https://get.pulumi.com/releases/sdk"
DOWNLOAD_BASE_VARIABLE = "GPUCLUSTER_PULUMI_URL"

SHA256 = {  # Source: pulumi/homebrew-tap 51fb494, Formula/pulumi.rb
    "linux-x64": "94ba357acac23d01474084c4b00098dc0f7bc70ce13f34c777459254a5f718e5",
    "linux-arm64": "edc8327463a72160bb36cf82cf5062da9c8a244290a706d9980988e7bf486853",
    "darwin-x64": "eaca4c3b8277bfa3ab061fa3b270d1c66358a0b2e613da8c5587a04b7226c534",
    "darwin-arm64": "57c27f179e527e2cf9f62b841a448af72a020e44b2fb4ee0d9bd85556c00c864",
}

_SYSTEMS = {"Linux": "linux", "Darwin": "darwin"}
_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


def this_platform() -> str:
    """The platform in the spelling of Pulumi's release files, e.g. `linux-x64`."""
    system, machine = platform.system(), platform.machine()
    name = f"{_SYSTEMS.get(system)}-{_MACHINES.get(machine.lower())}"
    if name not in SHA256:
        raise EngineError(
            f"There is no Pulumi engine for {system} on {machine}: supported are {', '.join(sorted(SHA256))}.\n"
            "On Windows use WSL (the Windows Subsystem for Linux)."
        )
    return name


def archive_name(platform_name: str) -> str:
    """The file name of the official release."""
    return f"pulumi-v{VERSION}-{platform_name}.tar.gz"


def parse_version(text: str) -> Version | None:
    """The first `x.y.z` in a text such as `v3.250.0` or `go version go1.26 linux/amd64`; a missing z counts as 0."""
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    return (int(found[1]), int(found[2]), int(found[3] or 0)) if found else None


def is_accepted(version: Version) -> bool:
    """Whether an engine of this version works with the sandbox."""
    return ACCEPTED_FROM <= version < ACCEPTED_BELOW


def keep_no_log(folder: Path) -> None:
    """Writes a file in place of the engine's log folder; the engine then runs without a log.

    No variable disables the log (pkg/v3 3.250.0, logging.StartLogging).
    """
    if not folder.is_file():
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.touch()
