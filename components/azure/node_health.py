"""Node conditions of AKS' node problem detector that mark a broken node. Imports no Pulumi.

It looks at GPUs and links of pools whose driver AKS owns, and at no others; what the operators' device plugins count as
working is all that is known of theirs. AKS repairs no node for these conditions.
Source: MicrosoftDocs/azure-aks-docs 35ef8f3d, gpu-health-monitoring.md and node-problem-detector.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

CONDITIONS: Final[Sequence[Mapping[str, Any]]] = tuple(
    {"type": kind, "status": "True"} for kind in ("GPUMissing", "IBLinkFlapping", "NVLinkStatusInactive", "XIDErrors")
)
REPAIR: Final = "its machine stays until someone deletes and reports it"
