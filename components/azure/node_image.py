"""The operating system of every node, which drivers, Lustre client and node classes must match. Imports no Pulumi."""

from __future__ import annotations

from typing import Final

OS_SKU: Final = "Ubuntu2204"
"""One for the whole cluster, as the GPU Operator requires, with an explicit version: the meaning of `Ubuntu` changes
with Kubernetes (24.04 from 1.35 on). AKS supports it up to Kubernetes 1.36 and until 2027-06-30.

`Ubuntu2404` is in no list of this API version (2025-09-01). Source: AKS documentation, "Upgrade OS version" and "Use
the NVIDIA GPU Operator".
"""
