"""Finds installed Pulumi SDKs for Python: their folder, version, and the files that declare resource types.

No SDK is imported: `import pulumi_aws.ec2` alone takes seconds. Files are read as text.
"""

from __future__ import annotations

import json
import re
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

DYNAMIC: Final = "pulumi-python"
"""Package of the resources that a Python program defines itself; its SDK is Pulumi's own."""
_FUNCTION: Final = r"[a-z][A-Za-z0-9]{1,99}"
"""Name of a data source; names of resources begin with a capital. It becomes a file name."""
_NONE: Final = "0.0.0"
"""For an SDK without a version: its program uses any available version."""


@dataclass(frozen=True)
class Declaration:
    """The file and class that declare a resource type."""

    file: Path
    class_name: str


@dataclass(frozen=True)
class Sdk:
    """One installed SDK, e.g. `pulumi_aws` 7.51.1.

    package: name of the provider plugin, e.g. `azure-native`.
    root: folder of the Python package.
    """

    package: str
    version: str
    root: Path

    @cached_property
    def modules(self) -> dict[str, tuple[str, str]]:
        """Type token -> (dotted Python module, class), from the registry text in the SDK's `__init__.py`."""
        text = (self.root / "__init__.py").read_text()
        registry = re.search(r'resource_modules="""(.*?)"""', text, re.DOTALL)
        found: dict[str, tuple[str, str]] = {}
        modules: list[dict[str, Any]] = json.loads(registry[1]) if registry else []
        for module in modules:
            found |= {token: (module["fqn"], class_name) for token, class_name in module["classes"].items()}
        return found

    def declaration(self, token: str) -> Declaration | None:
        """The declaration of a type; None if the SDK has no such type."""
        if token == f"pulumi:providers:{self.package}":
            file = self.root / "provider.py"
            return Declaration(file, "Provider") if file.is_file() else None
        if token not in self.modules:
            return self._function(token)
        module, class_name = self.modules[token]
        folder = self.root.joinpath(*module.split(".")[1:])
        for file in _likely_files(folder, class_name):
            if f"\nclass {class_name}(" in file.read_text():
                return Declaration(file, class_name)
        return None

    def _function(self, token: str) -> Declaration | None:
        """The class of a data source's answer, in the file named after it."""
        name = token.rsplit(":", 1)[-1]
        if not re.fullmatch(_FUNCTION, name):
            return None
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
        class_name = f"{name[:1].upper()}{name[1:]}Result"
        for file in sorted(self.root.rglob(f"{snake}.py")):
            text = file.read_text()
            if f"'{token}'" in text and f"\nclass {class_name}:" in text:
                return Declaration(file, class_name)
        return None


def _likely_files(folder: Path, class_name: str) -> Iterator[Path]:
    """The files of a folder, those named after the class first."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", class_name).lower()
    files = sorted(folder.glob("*.py"))
    likely = {f"{snake}.py", f"{class_name}.py"}
    yield from (file for file in files if file.name in likely)
    yield from (file for file in files if file.name not in likely)


def site_packages(virtualenv: Path | None) -> Path:
    """The site-packages folder of a virtual environment; without one, of this interpreter."""
    for folder in sorted(virtualenv.glob("lib/python3*/site-packages")) if virtualenv else []:
        return folder
    return Path(sysconfig.get_path("purelib"))


def installed_sdks(folder: Path) -> dict[str, Sdk]:
    """The resource SDKs in a site-packages folder, by provider package."""
    sdks: dict[str, Sdk] = {}
    for file in sorted(folder.glob("pulumi_*/pulumi-plugin.json")):
        try:
            plugin = json.loads(file.read_text())
        except ValueError:
            # Pulumi does not find it either, and the program may not import it.
            continue
        version = plugin.get("version") or _package_version(file.parent) or _NONE
        if plugin.get("resource"):
            name = plugin.get("name") or file.parent.name.removeprefix("pulumi_").replace("_", "-")
            sdks[name] = Sdk(name, version.removeprefix("v"), file.parent)
    own = folder / "pulumi"
    if (own / "__init__.py").is_file():
        sdks[DYNAMIC] = Sdk(DYNAMIC, _package_version(own) or _NONE, own)
    return sdks


def _package_version(root: Path) -> str:
    """The version of an installed Python package, also used for a plugin without a version; empty if unknown.

    Source: pulumi/pulumi sdk/go/common/resource/plugin/plugin.go (PulumiPluginJSON).
    """
    from importlib.metadata import distributions

    found = distributions(name=root.name, path=[str(root.parent)])
    return next((each.version for each in found), "")


def how_to_install(package: str) -> str:
    """How to install a missing SDK; begins with `needs`."""
    from gpucluster.extras import installing

    return f"needs pulumi-{package}: {installing(f'pulumi-{package}')}"
