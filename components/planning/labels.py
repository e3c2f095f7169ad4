"""Labels: those that every cluster has, and their form on each cloud. All tags are created here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpucluster.core.catalog.labels import google_value

REQUIRED_LABELS: Final = ("team", "project", "cost-center", "environment", "owner")

# Written on every resource by the toolkit itself, so a spec can't set them.
RESERVED_LABELS: Final = ("pulumi-project", "pulumi-stack", "managed-by")

# The syntax that all clouds and Kubernetes accept: Google Cloud is the narrowest (lower case, 63 characters);
# Kubernetes requires a letter or digit at both ends.
LABEL_VALUE: Final = r"^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$"


def aws_tags(labels: Mapping[str, str], *, project: str, stack: str, name: str) -> dict[str, str]:
    """AWS tags of one resource: the labels, its logical name, and the Pulumi project and stack that own it.

    Name and owner trace an orphan back to the program that created it.
    """
    return {**labels, "Name": name, "pulumi-project": project, "pulumi-stack": stack, "managed-by": "pulumi"}


def kubernetes_labels(labels: Mapping[str, str], *, project: str, stack: str) -> dict[str, str]:
    """Kubernetes labels of one object or node: the labels and the Pulumi project and stack that own it.

    No key is in the kubernetes.io domains: a kubelet that gets one does not start, and the node is billed and never
    joins.
    """
    return {**labels, "pulumi-project": project, "pulumi-stack": stack}


# Read by the cost module, in the characters that Google Cloud and Azure accept in names of labels and tags: GiB that a
# bucket is meant to hold, millions of samples that a cluster sends to managed Prometheus, and nodes that a calendar
# reservation of Google Cloud or a capacity block of Azure holds, even before it is delivered.
EXPECTED_GIB: Final = "gpucluster-expected-gib"
EXPECTED_SAMPLES: Final = "gpucluster-expected-million-samples"
CALENDAR_NODES: Final = "gpucluster-calendar-nodes"
BLOCK_NODES: Final = "gpucluster-block-nodes"


def gcp_labels(labels: Mapping[str, str], *, project: str, stack: str, name: str) -> dict[str, str]:
    """Google Cloud labels of one resource: the labels, its logical name, and the Pulumi project and stack that own it.

    Characters of a stack's name that Google Cloud refuses become hyphens.
    """
    own = {"name": name, "pulumi-project": project, "pulumi-stack": stack, "managed-by": "pulumi"}
    return {**labels, **{key: google_value(text) for key, text in own.items()}}


def azure_tags(labels: Mapping[str, str], *, project: str, stack: str, name: str) -> dict[str, str]:
    """Azure tags of one resource: the labels, its logical name, and the Pulumi project and stack that own it.

    Azure ignores case in tag names, so there is one `name` and no `Name`. Storage accounts accept names of 128
    characters and other resources 512; values have at most 256. Source: Azure Resource Manager, "Use tags to organize
    your Azure resources".
    """
    return {**labels, "name": name, "pulumi-project": project, "pulumi-stack": stack, "managed-by": "pulumi"}
