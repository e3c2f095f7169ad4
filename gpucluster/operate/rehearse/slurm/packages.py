"""Debian's Slurm 22.05 in the cache, unpacked without root: controller, node daemon, commands, plugins, and Munge.

`packages.csv` has the packages of Debian 12 for amd64: version, path in an archive, size and checksum. Source: the
index of packages of bookworm, 2026-11-29.
"""

from __future__ import annotations

import functools
import hashlib
import io
import lzma
import os
import platform
import re
import subprocess
import tarfile
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Final

from gpucluster.core.cache import BrokenCache, Installation, cache_folder
from gpucluster.core.catalog.tables import read_rows
from gpucluster.errors import Fault
from gpucluster.sandbox.engine.progress import Say

MIRROR_VARIABLE: Final = "GPUCLUSTER_DEBIAN_URL"
_SOURCES: Final = Path("/etc/apt")
_TABLE: Final = "gpucluster/operate/rehearse/slurm/packages.csv"
_STALLED_SECONDS: Final = 30.0

_LIBRARIES: Final = Path("usr/lib/x86_64-linux-gnu")
PLUGINS: Final = _LIBRARIES / "slurm-wlm"
_WANTED: Final = ("usr/sbin/", "usr/bin/", f"{_LIBRARIES}/")
_DAEMONS: Final = ("slurmctld", "slurmd")
"""Debian adds `-wlm` to their names. Slurm reads GRES only in a process with its own name (src/common/node_conf.c,
run_in_daemon)."""


class NoSlurm(Fault):
    """Slurm's programs are missing and cannot be installed, or do not start; the message gives the action to take."""


@dataclass(frozen=True, kw_only=True)
class Package:
    """file: its path in an archive of Debian."""

    package: str
    version: str
    file: str
    bytes: int
    sha256: str


@functools.cache
def packages() -> Sequence[Package]:
    """The pinned packages."""
    return [Package(**{**row, "bytes": int(row["bytes"])}) for row in read_rows(_TABLE)]  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True)
class Programs:
    """The unpacked programs. folder: that of the installation."""

    folder: Path

    def path(self, name: str) -> Path:
        """A program by its name, such as `slurmctld` or `sbatch`."""
        daemon = self.folder / "usr/sbin" / name
        return daemon if daemon.exists() else self.folder / "usr/bin" / name

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables by which they find their libraries; those of a real cluster on this machine are left out."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("SLURM_", "SBATCH_", "SQUEUE_", "SCANCEL_", "SINFO_", "MUNGE_"))
        }
        return {**kept, "LD_LIBRARY_PATH": f"{self.folder / PLUGINS}:{self.folder / _LIBRARIES}"}


def find_programs(say: Say) -> Programs:
    """The programs, downloaded if missing. Raises NoSlurm, and UnwritableCache."""
    _refuse_other_machines()
    installation = Installation(_folder(), "Slurm", check=_check_answer)
    try:
        if installation.read() is not None:
            return Programs(installation.folder)
    except BrokenCache as error:
        say(f"Slurm in {installation.folder} is broken: {error}. It is unpacked again.")
    with installation.lock(say):
        try:
            if installation.read() is not None:  # installed meanwhile
                return Programs(installation.folder)
        except BrokenCache:
            pass
        try:
            installation.install({"version": _slurm().version}, lambda folder: _fill(folder, say))
        except BrokenCache as error:
            raise NoSlurm(f"Slurm, just unpacked, cannot be used: {error}") from error
    return Programs(installation.folder)


def _folder() -> Path:
    return cache_folder() / "slurm" / f"{_slurm().version}-{hashlib.sha256(str(packages()).encode()).hexdigest()[:12]}"


def _slurm() -> Package:
    return packages()[0]


def slurm_version() -> str:
    """Such as 22.05.8."""
    return _slurm().version.partition("-")[0]


def _refuse_other_machines() -> None:
    system, machine = platform.system(), platform.machine()
    if (system, machine) != ("Linux", "x86_64"):
        raise NoSlurm(
            f"batch scripts are rehearsed by Debian's Slurm for Linux on x86_64; this is {system} on {machine}. "
            "Run the command on such a machine, or in a container of one"
        )


def _check_answer(folder: Path) -> None:
    """Whether the daemons start: some libraries are of the system. Commands without a configuration ask the network."""
    programs = Programs(folder)
    for name in (*_DAEMONS, "munged"):
        done = subprocess.run(
            [programs.path(name), "-V"], env=programs.environment, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            missing = re.search(r"libraries: (\S+?):", done.stderr)
            raise BrokenCache(
                f"{name} needs {missing[1]}, which this system lacks; install the package that has it"
                if missing
                else f"{name} does not start ({(done.stderr or done.stdout).strip()})"
            )


def _fill(folder: Path, say: Say) -> None:
    """Raises NoSlurm."""
    size = sum(package.bytes for package in packages())
    say(f"Downloading Slurm {_slurm().version} and its libraries, {size / 1e6:.1f} MB, from Debian (once).")
    for package in packages():
        unpack(_download(package), folder)
    for name in _DAEMONS:
        (folder / "usr/sbin" / name).symlink_to(f"{name}-wlm")


def _download(package: Package) -> bytes:
    """Raises NoSlurm with the answer of every mirror."""
    failures: list[str] = []
    archives = mirrors()
    if not archives:
        failures.append(f"{_SOURCES} names no archive of Debian")
    for mirror in archives:
        url = f"{mirror}/{package.file}"
        try:
            with urllib.request.urlopen(url, timeout=_STALLED_SECONDS) as response:
                content: bytes = response.read()
        except (OSError, HTTPException, ValueError) as error:
            failures.append(f"{url}: {error}")
            continue
        found = hashlib.sha256(content).hexdigest()
        if found == package.sha256:
            return content
        failures.append(f"{url}: WRONG CHECKSUM: SHA-256 {found}, expected {package.sha256}; it is not used")
    raise NoSlurm(
        f"{package.package} {package.version} cannot be downloaded; set {MIRROR_VARIABLE} to an archive of Debian that "
        "has it, such as a date of https://snapshot.debian.org/archive/debian/\n  " + "\n  ".join(failures)
    )


def mirrors(sources: Path = _SOURCES) -> Sequence[str]:
    """Addresses of archives, in order: the one that the user names, else those of apt here."""
    named = os.environ.get(MIRROR_VARIABLE)
    return [named.rstrip("/")] if named else [*dict.fromkeys(_of_apt(sources))]


def _of_apt(sources: Path) -> Iterator[str]:
    """The archives of Debian in apt's sources; those of its security updates have other paths."""
    for file in [sources / "sources.list", *sorted((sources / "sources.list.d").glob("*"))]:
        if file.suffix not in (".list", ".sources") or not file.is_file():
            continue
        for line in file.read_text(errors="replace").splitlines():
            if not line.lstrip().startswith("#"):
                yield from (url.rstrip("/") for url in re.findall(r"https?://\S+/debian/?(?=\s|$)", line))


def unpack(package: bytes, folder: Path) -> None:
    """Writes the programs and libraries of a Debian package into a folder. Raises NoSlurm."""
    try:
        with tarfile.open(fileobj=io.BytesIO(_data(package))) as tar:
            wanted = [member for member in tar if member.name.removeprefix("./").startswith(_WANTED)]
            tar.extractall(folder, wanted, filter="data")
    except (tarfile.TarError, lzma.LZMAError, EOFError, ValueError, OSError) as error:
        raise NoSlurm(f"a package of Debian cannot be unpacked: {error}") from error


_MAGIC: Final = b"!<arch>\n"
_HEADER: Final = 60


def _data(package: bytes) -> bytes:
    """The files of a package, an archive of ar(5) with the members debian-binary, control.tar and data.tar."""
    if not package.startswith(_MAGIC):
        raise ValueError("it is not an archive of ar(5)")
    place = len(_MAGIC)
    while header := package[place : place + _HEADER]:
        name, size = header[:16].decode("ascii").strip(), int(header[48:58])
        place += _HEADER
        if name.startswith("data.tar") and place + size <= len(package):
            return package[place : place + size]
        place += size + size % 2
    raise ValueError("it has no complete data.tar")
