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
from gpucluster.policies.packs import PACKS, TRAINING
from gpucluster.policies.packs.company import pack_of

_POLICIES = Path(__file__).parents[1]


def pack_folder(name: str) -> Path:
    """The folder of the pack of this name, or of a folder with rules; created if missing.

    Raises UnwritableCache, and BadPack for a folder that is no pack.
    """
    files = _of_package(name) if name in PACKS else _of_company(Path(name).resolve(), pack_of(name).description)
    name = Path(name).resolve().name
    digest = hashlib.sha256("".join(files.values()).encode()).hexdigest()[:16]
    installation = Installation(cache_folder() / "packs" / digest / name, "the policy pack")
    with installation.lock(lambda line: click.echo(line, err=True)):
        if not _there(installation):
            installation.install({}, lambda folder: _write(folder, files))
    return installation.folder


def _of_package(name: str) -> dict[str, str]:
    source = _POLICIES if name == TRAINING.name else _POLICIES / "packs" / name
    settings: dict[str, Any] = yaml.safe_load((source / "PulumiPolicy.yaml").read_text())
    return _files(settings, (source / "__main__.py").read_text())


def _of_company(folder: Path, description: str) -> dict[str, str]:
    """It runs the rules where they are, so that an edit needs no new folder."""
    return _files(
        {"description": description},
        f"from gpucluster.rules import serve\n\nserve({json.dumps(str(folder))})\n",
    )


def _files(settings: Mapping[str, Any], program: str) -> dict[str, str]:
    runtime = {"name": "python", "options": _options()}
    return {
        "PulumiPolicy.yaml": yaml.safe_dump({**settings, "runtime": runtime}, sort_keys=False),
        "__main__.py": program,
    }


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
