"""The ARM path of each resource type: `paths.csv`, a template of inputs by their names in the SDK.

The path determines the id, the name and its generation by the provider, the ARM type, and the inputs that replace.
Sources: section "Import" of each resource in the API docs of azure-native 3; pulumi/pulumi-azure-native
provider/pkg/resources/resources.go (AutoNamer) for the generation of names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from typing import Any, Final

from gpucluster.core.catalog.tables import read_rows
from gpucluster.sandbox.clouds.types.schema import ResourceType

_SUBSCRIPTION: Final = "subscriptionId"
_OF_GUIDS: Final = frozenset({"roleAssignmentName", "roleDefinitionId"})


class AutoName(Enum):
    """How the provider generates a missing name."""

    RANDOM = "the logical name and eight hexadecimal digits"
    COPY = "the logical name"
    GUID = "a random GUID"


@dataclass(frozen=True)
class ArmPath:
    """The path of one type.

    template: the path with inputs in braces; `subscriptionId` is the provider's.
    """

    template: str

    @cached_property
    def parameters(self) -> list[str]:
        """The inputs in the path, in order."""
        return [name for name in re.findall(r"\{(\w+)\}", self.template) if name != _SUBSCRIPTION]

    @property
    def name_property(self) -> str:
        """The input with the name."""
        return self.parameters[-1]

    @cached_property
    def auto_name(self) -> AutoName:
        """How a name is generated: a type that belongs to another resource uses the logical name."""
        if self.name_property in _OF_GUIDS:
            return AutoName.GUID
        *_, tail = self.template.lower().split("microsoft.")
        return AutoName.COPY if "microsoft." in self.template.lower() and tail.count("{") > 1 else AutoName.RANDOM

    @cached_property
    def arm_type(self) -> str:
        """ARM's name of the type, such as `Microsoft.Network/virtualNetworks/subnets`."""
        if "/providers/" not in self.template:
            return "Microsoft.Resources/resourceGroups"
        namespace, *segments = self.template.rsplit("/providers/", 1)[1].split("/")
        return "/".join([namespace, *segments[::2]])

    def id(self, inputs: Mapping[str, Any], subscription: str) -> str:
        """The id of a resource with these inputs."""
        values = {name: str(inputs.get(name) or "").strip("/") for name in self.parameters}
        return self.template.format_map({**values, _SUBSCRIPTION: subscription})


@cache
def _table() -> Mapping[str, ArmPath]:
    return {row["type"]: ArmPath(row["path"]) for row in read_rows("sandbox/clouds/azure/paths.csv")}


def path_of(type_: ResourceType) -> ArmPath:
    """The path of a type; for an unlisted type, a plausible one."""
    return listed_path(type_.token) or _guess(type_)


def listed_path(token: str) -> ArmPath | None:
    """The path of a listed type."""
    return _table().get(token)


def _guess(type_: ResourceType) -> ArmPath:
    """A path under the resource group, if there is one, by the input that is most likely the name."""
    _, module, kind = type_.token.split(":")
    own = f"{kind[0].lower()}{kind[1:]}Name"
    names = [name for name in type_.inputs if name.endswith("Name") and name != "resourceGroupName"]
    optional = [name for name in names if not type_.inputs[name].required]
    name = next((name for name in (own, "name", "resourceName", *optional) if name in type_.inputs), own)
    group = "/resourceGroups/{resourceGroupName}" if "resourceGroupName" in type_.inputs else ""
    namespace = f"Microsoft.{module.split('/')[0].capitalize()}"
    return ArmPath(
        f"/subscriptions/{{subscriptionId}}{group}/providers/{namespace}/{kind[0].lower()}{kind[1:]}s/{{{name}}}"
    )
