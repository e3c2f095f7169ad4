"""The folder of a pack for `--policy-pack`, in any installation of this package, also for a company's rules.

The folders in a checkout name the checkout's virtual environment; an installed wheel has none. So a copy in the cache
names the running environment, and the toolchain too: otherwise Pulumi's Python host would search all parent folders for
a lock file of uv or Poetry.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import yaml

from gpucluster.core.cache import BrokenCache, Installation, cache_folder
from gpucluster.errors import InputError
from gpucluster.policies.engine.pack import Pack
from gpucluster.policies.packs import PACKS, TRAINING
from gpucluster.policies.packs.company import FILE, fields_of, pack_of

_POLICIES = Path(__file__).parents[1]


def pack_folder(name: str) -> Path:
    """The folder of the pack of this name, or of a folder with rules; created if missing.

    Raises UnwritableCache, and BadPack for a folder that is no pack.
    """
    files = _of_package(name) if name in PACKS else _of_company(Path(name).resolve(), pack_of(name))
    name = Path(name).resolve().name
    digest = hashlib.sha256("".join(files.values()).encode()).hexdigest()[:16]
    installation = Installation(cache_folder() / "packs" / digest / name, "the policy pack")
    with installation.lock(lambda line: click.echo(line, err=True)):
        if not _there(installation):
            installation.install({}, lambda folder: _write(folder, files))
    return installation.folder


def write_for_publishing(name: str, folder: Path) -> None:
    """Writes a pack, or that of a folder, into a new folder for `pulumi policy publish`, with its requirements.

    Raises InputError for a folder that exists or cannot be written, and BadPack.
    """
    pack = pack_of(name)
    settings = _settings(TRAINING.name)
    files = {"requirements.txt": f"gpucluster=={settings['version']}\n"}
    if name in PACKS:
        settings = _settings(name)
        files["__main__.py"] = _program(name)
    else:
        settings = {"description": pack.description, "version": pack.version or "0.0.1"}
        files |= {file.name: file.read_text(encoding="utf-8") for file in Path(name).glob("*.py")}
        files |= {FILE: yaml.safe_dump({**fields_of(Path(name)), "name": pack.name}, sort_keys=False)}
        files |= {"__main__.py": "from gpucluster.rules import serve\n\nserve(__file__)\n"}
    try:
        folder.mkdir(parents=True)
        _write(folder, {**_manifest(settings, {"toolchain": "pip", "virtualenv": "venv"}), **files})
    except OSError as error:
        raise InputError(f"{folder} can't be written: {error.strerror}; name a new folder") from None


def _of_package(name: str) -> dict[str, str]:
    return {**_manifest(_settings(name), _options()), "__main__.py": _program(name)}


def _of_company(folder: Path, pack: Pack) -> dict[str, str]:
    """It runs the rules where they are, so that an edit needs no new folder."""
    settings = {"description": pack.description, **({"version": pack.version} if pack.version else {})}
    program = f"from gpucluster.rules import serve\n\nserve({json.dumps(str(folder))})\n"
    return {**_manifest(settings, _options()), "__main__.py": program}


def _source(name: str) -> Path:
    return _POLICIES if name == TRAINING.name else _POLICIES / "packs" / name


def _settings(name: str) -> dict[str, Any]:
    return yaml.safe_load((_source(name) / "PulumiPolicy.yaml").read_text())


def _program(name: str) -> str:
    return (_source(name) / "__main__.py").read_text()


def _manifest(settings: Mapping[str, Any], options: Mapping[str, str]) -> dict[str, str]:
    runtime = {"name": "python", "options": dict(options)}
    return {"PulumiPolicy.yaml": yaml.safe_dump({**settings, "runtime": runtime}, sort_keys=False)}


def _options() -> Mapping[str, str]:
    """The Python that runs the pack; outside a virtual environment the one on PATH, Pulumi's only other choice."""
    own = {"virtualenv": sys.prefix} if sys.prefix != sys.base_prefix else {}
    return {"toolchain": "pip", **own}


def _there(installation: Installation) -> bool:
    try:
        return installation.read() is not None
    except BrokenCache:
        return False


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)
