"""What every AWS service asks of tags.

Source: AWS Tagging user guide, "Tag naming limits and requirements"; codes as in the EC2 API error list.
"""

from __future__ import annotations

import re
from typing import Final

from sandbox.clouds.aws.model import Thing
from sandbox.clouds.aws.rules.rule import refused, rule

__all__: list[str] = []

_MOST: Final = 50
_KEY_LENGTH: Final = 128
_VALUE_LENGTH: Final = 256
_ALLOWED: Final = re.compile(r"[\w\s+\-=.:/@]*")


@rule("*")
def tags_are_within_limits(thing: Thing) -> None:
    """At most 50 tags, keys of 1-128 and values of up to 256 characters, none of them reserved or not allowed."""
    if len(thing.tags) > _MOST:
        raise _refused(thing, "TagLimitExceeded", f"{len(thing.tags)} tags; a resource may have {_MOST}")
    for key, value in thing.tags.items():
        if key.lower().startswith("aws:"):
            raise _refused(thing, "InvalidParameterValue", f"Tag keys starting with 'aws:' are reserved: '{key}'")
        if not 1 <= len(key) <= _KEY_LENGTH:
            raise _refused(thing, "InvalidParameterValue", f"Tag key '{key}' is not 1 to {_KEY_LENGTH} characters long")
        if len(str(value)) > _VALUE_LENGTH:
            message = f"Tag value of '{key}' exceeds the maximum length of {_VALUE_LENGTH} characters"
            raise _refused(thing, "InvalidParameterValue", message)
        for text in (key, str(value)):
            if not _ALLOWED.fullmatch(text):
                allowed = "letters, digits, spaces, + - = . _ : / @"
                message = f"Tag '{key}' has characters that are not allowed in '{text}'; allowed: {allowed}"
                raise _refused(thing, "InvalidParameterValue", message)


def _refused(thing: Thing, code: str, message: str) -> Exception:
    service = thing.token.split(":")[1].split("/")[0].upper()
    return refused(thing, f"{service}: CreateTags", 400, code, message)
