"""Names of Kubernetes objects, which the published schemas leave open.

Source: Kubernetes documentation, "Object Names and IDs". Most names are DNS subdomains; namespaces and services are DNS
labels; names of RBAC only have to be segments of a path; an IPAddress is called like its address.
"""

from __future__ import annotations

import re
from typing import Any, Final

from gpucluster.core.program.values import text
from gpucluster.operate.judges.verdicts import Remark

_LABEL: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_PAGE: Final = 'Kubernetes documentation, "Object Names and IDs"'
_LABELS: Final = (("v1", "Namespace"), ("v1", "Service"))
_OTHER_NAMES: Final = ("rbac.authorization.k8s.io/", "networking.k8s.io/", "internal.apiserver.k8s.io/")
_SUBDOMAINS_OF_NETWORKING: Final = ("Ingress", "IngressClass", "NetworkPolicy")


def name_refused(api_version: str, kind: str, inputs: Any) -> tuple[Remark, ...]:
    """The refusal of `metadata.name`; nothing if it is unknown or left to the provider."""
    name = text(inputs, "metadata", "name")
    if not isinstance(name, str) or kind.endswith("List"):
        return ()
    if api_version.startswith(_OTHER_NAMES) and kind not in _SUBDOMAINS_OF_NETWORKING:
        pattern, most, form = r"[^/%]+", 253, "a segment of a path: no / and no %"
    elif (api_version, kind) in _LABELS:
        pattern, most, form = _LABEL, 63, "a DNS label: at most 63 of a-z, 0-9 and -"
    else:
        pattern, most, form = rf"{_LABEL}(\.{_LABEL})*", 253, "a DNS subdomain: at most 253 of a-z, 0-9, - and ."
    if len(name) <= most and re.fullmatch(pattern, name) and name not in (".", ".."):
        return ()
    return (Remark("metadata.name", f"{name[:80]!r} is not {form} ({_PAGE})"),)
