"""Installs a launcher in place of every provider plugin that the installed SDKs require."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from gpucluster.sandbox.clouds import launcher
from gpucluster.sandbox.clouds.types.sdk_types import Sdk


def install_launchers(home: Path, sdks: Mapping[str, Sdk]) -> None:
    """Writes `<home>/plugins/resource-<package>-v<version>/pulumi-resource-<package>` for each SDK.

    The version is the SDK's own, which a program requests. Launchers of earlier installed versions are kept: an
    existing stack requests them until its next `up`. Launchers without an SDK are removed, and the schemas that the
    engine and the YAML host kept: they have only the types of an earlier command (pkg/v3, schema.loadSchemaBytes).
    """
    plugins = home / "plugins"
    for schema in (*plugins.glob("schema-*.json"), *(home / "schemas").glob("*.json")):
        schema.unlink(missing_ok=True)
    earlier = {folder: _package(folder) for folder in plugins.glob("resource-*-v*")}
    for folder in (folder for folder, package in earlier.items() if package not in sdks):
        shutil.rmtree(folder, ignore_errors=True)
    own = {plugins / f"resource-{sdk.package}-v{sdk.version}": sdk.package for sdk in sdks.values()}
    for folder, package in {**earlier, **own}.items():
        if package in sdks:
            _write(folder / f"pulumi-resource-{package}", package)


def _package(folder: Path) -> str:
    return folder.name.removeprefix("resource-").rpartition("-v")[0]


def _write(file: Path, package: str) -> None:
    command = shlex.join([sys.executable, "-I", "-S", str(Path(launcher.__file__)), package])
    text = f"#!/bin/sh\nexec {command}\n"
    if file.is_file() and file.read_text() == text:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    # Another run may be starting the old one.
    scratch = file.with_name(f"{file.name}.{os.getpid()}")
    scratch.write_text(text)
    scratch.chmod(0o755)
    scratch.replace(file)
