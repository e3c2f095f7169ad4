"""The resource types of an installed Pulumi SDK with their arguments, read from its sources.

Importing an SDK takes seconds, and no policy pack does; the needed parts are read once and stored in a table.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Source:
    """One resource class.

    token: its type token.
    arguments: the text of the constructor of its arguments, one argument in a line.
    code: its module's source.
    """

    token: str
    arguments: str
    code: str


def sources(package: str) -> Iterator[Source]:
    """Every resource class of an installed package, unordered; raises ModuleNotFoundError without the package."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{package} is not installed")
    prefix = package.removeprefix("pulumi_").replace("_", "-")
    constructor = re.compile(rf"super\((\w+), __self__\)\.__init__\(\s*'({prefix}:[^']+)'")
    for source in Path(spec.origin).parent.rglob("*.py"):
        code = source.read_text(encoding="utf-8")
        for class_name, token in constructor.findall(code):
            arguments = re.search(
                rf"^class {class_name}(?:Init)?Args:\n    def __init__\(.*?\):$", code, re.DOTALL | re.MULTILINE
            )
            if arguments is not None:
                yield Source(token, arguments[0], code)
