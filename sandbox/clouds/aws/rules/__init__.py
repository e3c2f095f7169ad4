"""What the real APIs refuse. One rule, one small function, with its source."""

from __future__ import annotations

import importlib
import pkgutil

from sandbox.clouds.aws.model import Thing
from sandbox.clouds.aws.rules.rule import RULES

__all__ = ["enforce"]

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(_module.name)


def enforce(thing: Thing) -> None:
    """Raises the API's error when a create or update breaks a rule of its type."""
    for rule in (*RULES.get("*", ()), *RULES.get(thing.token, ())):
        rule(thing)
