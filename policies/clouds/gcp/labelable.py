"""Which Google Cloud resource types take labels, and under which argument: read once from the installed SDK.

Kept in `labelable.csv`, because the SDK itself is far too slow to import in a policy pack. Types that are not in it,
such as networks, firewalls and resource policies, take none. `python -m policies.clouds.gcp.labelable` writes the file
anew after an update of pulumi-gcp; a test compares the two.
"""

from __future__ import annotations

import csv
import functools
import importlib.util
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

__all__ = ["FILE", "labelable", "read_sdk"]

FILE: Final = Path(__file__).with_name("labelable.csv")

_CONSTRUCTOR = re.compile(r"super\((\w+), __self__\)\.__init__\(\s*'(gcp:[^']+)'")
_USER_LABELS: Final = "user_labels"
_LABELS: Final = ("resource_labels", "labels")
# With labels of Google Cloud the provider also returns all that a resource carries. Other arguments called `labels`, of
# a group or a notification channel, mean something else.
_RETURNED: Final = "effective_labels"


@functools.cache
def labelable() -> Mapping[str, str]:
    """Type token -> the input, in camel case, that holds the labels of the resource itself."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {row["type"]: row["argument"] for row in csv.DictReader(file)}


def read_sdk() -> dict[str, str]:
    """The same, from the sources of the installed pulumi-gcp; errors: ModuleNotFoundError without it."""
    spec = importlib.util.find_spec("pulumi_gcp")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("pulumi_gcp is not installed")
    found: dict[str, str] = {}
    for source in Path(spec.origin).parent.rglob("*.py"):
        code = source.read_text(encoding="utf-8")
        for class_name, token in _CONSTRUCTOR.findall(code):
            argument = _argument(code, class_name)
            if argument is not None:
                found[token] = re.sub("_(.)", lambda letter: letter[1].upper(), argument)
    return dict(sorted(found.items()))


def _argument(code: str, class_name: str) -> str | None:
    signature = re.search(
        rf"^class {class_name}(?:Init)?Args:\n    def __init__\(.*?\):$", code, re.DOTALL | re.MULTILINE
    )
    if signature is None:
        return None
    for name in (_USER_LABELS, *(_LABELS if _RETURNED in code else ())):
        if re.search(rf"^\s+{name}: pulumi\.Input\[(?:Optional\[)?Mapping\[str, ", signature[0], re.MULTILINE):
            return name
    return None


def main() -> None:
    """Write `labelable.csv`."""
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("type", "argument"))
        writer.writerows(read_sdk().items())


if __name__ == "__main__":
    main()
