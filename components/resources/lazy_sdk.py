"""Imports single resources of a cloud's SDK without importing all of it."""

from __future__ import annotations

import contextlib
import importlib
import importlib.machinery
import re
import sys
import types
from collections.abc import Callable, Collection, Generator
from typing import Any


def resources_of(package: str, names: Collection[str], module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module that replaces a package such as `pulumi_gcp.compute`: resources and arguments of
    these names are imported when the first of each is declared, not with the components that may declare them.
    """

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        file = "_inputs" if name.endswith("Args") else re.sub(r"(?<=.)(?=[A-Z])", "_", name).lower()
        with without_the_rest(package):
            found = getattr(importlib.import_module(f"{package}.{file}"), name)
        vars(sys.modules[module])[name] = found
        return found

    return get


@contextlib.contextmanager
def without_the_rest(package: str) -> Generator[None]:
    """Inside this context, modules of a package such as `pulumi_gcp.compute` are imported without its `__init__`, which
    imports all of them: seconds for a handful of resources.

    Afterwards the package is as before: later imports load all of it, with the same classes that were imported here.
    Raises ModuleNotFoundError if the SDK has no such package.
    """
    above, _, _ = package.rpartition(".")
    parent = importlib.import_module(above)
    # By its path: an access to the package, which the SDK loads on first use, would load it.
    spec = importlib.machinery.PathFinder.find_spec(package, parent.__path__)
    if spec is None or spec.submodule_search_locations is None:
        raise ModuleNotFoundError(f"no package {package}", name=package)
    there = sys.modules.get(package)
    stand_in = types.ModuleType(package)
    stand_in.__path__ = list(spec.submodule_search_locations)
    sys.modules[package] = stand_in
    try:
        yield
    finally:
        if there is None:
            del sys.modules[package]
        else:
            sys.modules[package] = there
