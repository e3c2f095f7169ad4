"""Security contexts for pods in a namespace that enforces the standard `restricted`.

Source: Kubernetes documentation, "Pod Security Standards".
"""

from collections.abc import Mapping
from typing import Any, Final

CONTAINER: Final[Mapping[str, Any]] = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def pod(user: int) -> dict[str, Any]:
    """user: id of the user that its image runs as."""
    return {"runAsNonRoot": True, "runAsUser": user, "seccompProfile": {"type": "RuntimeDefault"}}
