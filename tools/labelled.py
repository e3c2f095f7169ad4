"""Writes the tables of types with labels or tags, from the sources of the installed SDKs: `python -m tools.labelled`.

Importing an SDK takes seconds, and no policy pack does; the needed parts are read once and stored in a table.
"""

from __future__ import annotations

import csv
import importlib.util
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gpucluster.core.catalog import labels

# Other arguments called `tags`, lists and texts, are different; only an Auto Scaling group has a list of tags.
_TAGS: Final = {
    "aws": r"(?:Optional\[)?(?:Mapping\[str, |Sequence\[.*GroupTagArgs)",
    "azure-native": r"Optional\[Mapping\[str, pulumi\.Input\[_builtins\.str\]\]\]\]",
}
_CATALOG: Final = Path(labels.__file__).parent
_USER_LABELS: Final = "user_labels"
_LABELS: Final = ("resource_labels", "labels")
# If a type has Google Cloud labels, the provider also returns all labels of a resource. Other arguments called
# `labels`, of a group or a notification channel, are different.
_RETURNED: Final = "effective_labels"


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


def read_sdk(package: str) -> dict[str, str]:
    """Type token -> the input with its labels, in camel case; raises ModuleNotFoundError without the SDK."""
    installed = sources(f"pulumi_{package.replace('-', '_')}")
    found = {source.token: name for source in installed if (name := _argument(package, source)) is not None}
    return {token: re.sub("_(.)", lambda letter: letter[1].upper(), name) for token, name in sorted(found.items())}


def _argument(package: str, source: Source) -> str | None:
    if package in _TAGS:
        return "tags" if _takes(source, "tags", _TAGS[package]) else None
    names = (_USER_LABELS, *(_LABELS if _RETURNED in source.code else ()))
    return next((name for name in names if _takes(source, name, r"(?:Optional\[)?Mapping\[str, ")), None)


def _takes(source: Source, name: str, type_: str) -> bool:
    return re.search(rf"^\s+{name}: pulumi\.Input\[{type_}", source.arguments, re.MULTILINE) is not None


def main() -> None:
    """Write every table."""
    for package in labels.PACKAGES:
        with (_CATALOG / f"labelled_{package}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("type", "argument"))
            writer.writerows(read_sdk(package).items())


if __name__ == "__main__":
    main()
