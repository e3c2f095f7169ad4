"""ARM's tag requirements.

Source: Azure Resource Manager documentation, "Use tags to organize your Azure resources", limitations.
"""

from __future__ import annotations

from typing import Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.azure.model import ManagedResource, refused, rule

_MOST: Final = 50
_NAME: Final = 512
_VALUE: Final = 256
_ACCOUNT: Final = "azure-native:storage:StorageAccount"
_NAME_OF_ACCOUNT: Final = 128
_FORBIDDEN: Final = "<>%&\\?/"


@rule("*")
def tags_are_within_limits(managed: ManagedResource) -> None:
    """At most 50 tags; names of 512 characters (128 on storage accounts), values of 256; without disallowed
    characters.
    """
    tags = mapping(managed.inputs.get("tags"))
    longest = _NAME_OF_ACCOUNT if managed.token == _ACCOUNT else _NAME
    if len(tags) > _MOST:
        raise refused("InvalidTags", f"{len(tags)} tags on '{managed.name}'; a resource may have {_MOST}")
    for name, value in tags.items():
        if not 1 <= len(name) <= longest:
            raise refused("InvalidTagName", f"tag name '{name}' has {len(name)} characters; allowed: 1 to {longest}")
        if any(mark in name for mark in _FORBIDDEN):
            message = f"The tag names '{name}' have reserved characters '{','.join(_FORBIDDEN)}' or control characters."
            raise refused("InvalidTagNameCharacters", message)
        if len(str(value)) > _VALUE:
            message = f"the value of tag '{name}' has {len(str(value))} characters; allowed: {_VALUE} at most"
            raise refused("InvalidTagValue", message)


@rule("*")
def tags_do_not_differ_in_case_alone(managed: ManagedResource) -> None:
    """ARM ignores the case of tag names."""
    names = [name.lower() for name in mapping(managed.inputs.get("tags"))]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise refused("InvalidTags", f"the tag name '{twice}' is there more than once; case does not count")
