"""Keys and values that AWS, Google Cloud, Azure and Kubernetes accept.

AWS: "Tag restrictions" of the EC2 user guide and "User-defined tag restrictions" of the billing user guide. Only EC2
accepts other characters as well; other services and the bill do not.
Google Cloud: Resource Manager page "Requirements for labels", with the letters a to z only, as some services restrict
them (Parallelstore and Spanner, for example).
Azure: Resource Manager page "Use tags to organize your Azure resources", section "Limitations"; only a storage account
limits keys to 128 characters.
Kubernetes: "Labels and Selectors", section "Syntax and character set".

The source of these rows is the SDK in `requirements.lock`: `python -m tools.labelled` regenerates them after an SDK
update, and a test compares the two. Types that are missing, such as networks, firewalls and resource
policies of Google Cloud, have no labels.
"""

from __future__ import annotations

import enum
import functools
import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.tables import rows


class LabelSyntax(enum.Enum):
    """Syntax rules of a cloud or Kubernetes."""

    AWS = "AWS"
    GOOGLE = "Google Cloud"
    AZURE = "Azure"
    KUBERNETES = "Kubernetes"


# Maximum per resource.
MOST_LABELS: Final = {LabelSyntax.AWS: 50, LabelSyntax.GOOGLE: 64, LabelSyntax.AZURE: 50}

_AWS_KEY_LENGTH: Final = 128
_AWS_VALUE_LENGTH: Final = 256
_AWS_CATEGORIES: Final = "LNZ"  # letters, numbers, separators
_AWS_OTHER: Final = "+-=._:/@"
_GOOGLE_LENGTH: Final = 63
_GOOGLE_CHARACTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
_AZURE_KEY_LENGTH: Final = 512
_AZURE_VALUE_LENGTH: Final = 256
_AZURE_NOT_IN_KEYS: Final = "<>%&\\?/"
_AZURE_RESERVED: Final = ("azure", "microsoft", "windows")
_KUBERNETES_LENGTH: Final = 63
_KUBERNETES_PREFIX_LENGTH: Final = 253
_KUBERNETES_NAME: Final = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_KUBERNETES_PREFIX: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def problem_of_key(key: str, syntax: LabelSyntax) -> str | None:
    """The problem of a key, None without one."""
    if syntax is LabelSyntax.KUBERNETES:
        return _kubernetes_key(key)
    if syntax is LabelSyntax.GOOGLE:
        starts = key[:1].isalpha() and key[:1].islower()
        return _google(key) if starts else "does not start with a lower-case letter, as Google Cloud requires"
    if syntax is LabelSyntax.AZURE:
        return _azure_key(key)
    if key.lower().startswith("aws:"):
        return "starts with `aws:`, which AWS reserves"
    return "is empty; AWS requires 1 to 128 characters" if not key else _aws(key, _AWS_KEY_LENGTH)


def problem_of_value(value: str, syntax: LabelSyntax) -> str | None:
    """The problem of a value, None without one; never quotes more than one character of it."""
    if syntax is LabelSyntax.AWS:
        return _aws(value, _AWS_VALUE_LENGTH)
    if syntax is LabelSyntax.GOOGLE:
        return _google(value)
    if syntax is LabelSyntax.AZURE:
        return _azure_length(value, _AZURE_VALUE_LENGTH)
    return None if not value else _kubernetes_name(value)


def google_value(text: str) -> str:
    """A text as a valid value of Google Cloud: cut, in lower case, with hyphens for invalid characters."""
    taken = (character if character in _GOOGLE_CHARACTERS else "-" for character in text.lower())
    return "".join(taken)[:_GOOGLE_LENGTH]


def is_kubernetes_name(written: str) -> bool:
    """Whether Kubernetes accepts it as a value, and as a key after its prefix."""
    return len(written) <= _KUBERNETES_LENGTH and _KUBERNETES_NAME.fullmatch(written) is not None


def is_kubernetes_prefix(written: str) -> bool:
    """Whether Kubernetes accepts it as a key's prefix before the slash: a DNS name."""
    return len(written) <= _KUBERNETES_PREFIX_LENGTH and _KUBERNETES_PREFIX.fullmatch(written) is not None


def _aws(written: str, most: int) -> str | None:
    if len(written) > most:
        return f"has {len(written)} characters; AWS allows {most}"
    for position, character in enumerate(written, start=1):
        if unicodedata.category(character)[0] not in _AWS_CATEGORIES and character not in _AWS_OTHER:
            taken = " ".join(_AWS_OTHER)
            return f"has {character!r} at character {position}; AWS allows letters, digits, spaces and {taken}"
    return None


def _google(written: str) -> str | None:
    if len(written) > _GOOGLE_LENGTH:
        return f"has {len(written)} characters; Google Cloud allows {_GOOGLE_LENGTH}"
    for position, character in enumerate(written, start=1):
        if character not in _GOOGLE_CHARACTERS:
            return f"has {character!r} at character {position}; Google Cloud allows lower-case letters, digits, _ and -"
    return None


def _azure_key(key: str) -> str | None:
    for position, character in enumerate(key, start=1):
        if character in _AZURE_NOT_IN_KEYS:
            return f"has {character!r} at character {position}; Azure allows none of {' '.join(_AZURE_NOT_IN_KEYS)}"
    if key.lower().startswith(_AZURE_RESERVED):
        return f"starts with one of {', '.join(_AZURE_RESERVED)}, which Azure reserves"
    return _azure_length(key, _AZURE_KEY_LENGTH) if key else "is empty; Azure requires 1 to 512 characters"


def _azure_length(written: str, most: int) -> str | None:
    return f"has {len(written)} characters; Azure allows {most}" if len(written) > most else None


def _kubernetes_name(written: str) -> str | None:
    if len(written) > _KUBERNETES_LENGTH:
        return f"has {len(written)} characters; Kubernetes allows {_KUBERNETES_LENGTH}"
    if not is_kubernetes_name(written):
        return "is not a Kubernetes label: letters, digits, `-`, `_` and `.`, with a letter or digit at both ends"
    return None


def _kubernetes_key(key: str) -> str | None:
    prefix, slash, name = key.rpartition("/")
    if slash and not is_kubernetes_prefix(prefix):
        return "has a prefix that is not a DNS name; write `example.com/key`"
    return _kubernetes_name(name)


PACKAGES: Final = tuple(cloud.package for cloud in clouds().values())


def argument_of(type_: str) -> str | None:
    """The input, in camel case, with the labels of the resource itself; None for a type without labels."""
    package = type_.partition(":")[0]
    return labelled(package).get(type_) if package in PACKAGES else None


@functools.cache
def labelled(package: str) -> Mapping[str, str]:
    """Type token -> that input, of one SDK."""
    return {row["type"]: row["argument"] for row in rows(f"labelled_{package}")}
