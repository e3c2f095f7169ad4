"""Which AWS resource types take tags: read once from the installed SDK, kept in `taggable.csv`.

The SDK itself is far too slow to import in a policy pack. `python -m policies.clouds.aws.taggable` writes the file
anew after an update of pulumi-aws; a test compares the two.
"""

from __future__ import annotations

import functools
import importlib.util
import re
from pathlib import Path
from typing import Final

__all__ = ["FILE", "read_sdk", "taggable"]

FILE: Final = Path(__file__).with_name("taggable.csv")

_CONSTRUCTOR = re.compile(r"super\((\w+), __self__\)\.__init__\(\s*'(aws:[^']+)'")
_TAGS = re.compile(r"^\s+tags: pulumi\.Input\[(?:Optional\[)?(?:Mapping\[str, |Sequence\[.*GroupTagArgs)", re.MULTILINE)


@functools.cache
def taggable() -> frozenset[str]:
    """Type tokens whose argument `tags` holds the tags of the resource itself."""
    return frozenset(FILE.read_text(encoding="utf-8").splitlines()[1:])


def read_sdk() -> list[str]:
    """The same, from the sources of the installed pulumi-aws; errors: ModuleNotFoundError without it."""
    spec = importlib.util.find_spec("pulumi_aws")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("pulumi_aws is not installed")
    found: set[str] = set()
    for source in Path(spec.origin).parent.rglob("*.py"):
        code = source.read_text(encoding="utf-8")
        for class_name, token in _CONSTRUCTOR.findall(code):
            signature = re.search(
                rf"^class {class_name}Args:\n    def __init__\(.*?\):$", code, re.DOTALL | re.MULTILINE
            )
            if signature and _TAGS.search(signature.group(0)):
                found.add(token)
    return sorted(found)


def main() -> None:
    """Write `taggable.csv`."""
    FILE.write_text("\n".join(("type", *read_sdk(), "")), encoding="utf-8")


if __name__ == "__main__":
    main()
