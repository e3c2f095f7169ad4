"""Labels: which ones every cluster carries, and how each cloud writes them. The only way a tag is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpucluster.catalog.label_syntax import google_value

REQUIRED_LABELS: Final = ("team", "project", "cost-center", "environment", "owner")

# Written on every resource by the toolkit itself, so a spec can't set them.
OWN_LABELS: Final = ("pulumi-project", "pulumi-stack", "managed-by")

# What all clouds and Kubernetes accept alike: Google Cloud is the narrowest (lower case, 63 characters); Kubernetes
# wants a letter or digit at both ends.
LABEL_VALUE: Final = r"^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$"


def aws_tags(labels: Mapping[str, str], *, project: str, stack: str, name: str) -> dict[str, str]:
    """AWS tags of one resource: the labels, its logical name, and the Pulumi project and stack that own it.

    Name and owner let an orphan be traced back to the program that made it.
    """
    return {**labels, "Name": name, "pulumi-project": project, "pulumi-stack": stack, "managed-by": "pulumi"}


def kubernetes_labels(labels: Mapping[str, str], *, project: str, stack: str) -> dict[str, str]:
    """Kubernetes labels of one object or node: the labels and the Pulumi project and stack that own it.

    No key of the kubernetes.io domains is among them: a kubelet that is given one does not start, and the node is
    billed and never joins.
    """
    return {**labels, "pulumi-project": project, "pulumi-stack": stack}


# Read by the cost module, in the characters that Google Cloud and Azure take in names of labels and tags: GiB that a
# bucket is meant to hold, millions of samples that a cluster sends to managed Prometheus, and nodes that a calendar
# reservation holds, also while it is not delivered yet.
EXPECTED_GIB: Final = "gpucluster-expected-gib"
EXPECTED_SAMPLES: Final = "gpucluster-expected-million-samples"
CALENDAR_NODES: Final = "gpucluster-calendar-nodes"


def gcp_labels(labels: Mapping[str, str], *, project: str, stack: str, name: str) -> dict[str, str]:
    """Google Cloud labels of one resource: the labels, its logical name, and the Pulumi project and stack that own it.

    What Google Cloud does not take of the name of a stack becomes a hyphen.
    """
    own = {"name": name, "pulumi-project": project, "pulumi-stack": stack, "managed-by": "pulumi"}
    return {**labels, **{key: google_value(text) for key, text in own.items()}}


def azure_tags(labels: Mapping[str, str], *, project: str, stack: str, name: str) -> dict[str, str]:
    """Azure tags of one resource: the labels, its logical name, and the Pulumi project and stack that own it.

    Their names are the same in upper and lower case to Azure, so there is one `name` and no `Name`. Storage accounts
    take names of 128 characters and the rest 512, values have 256. Source: Azure Resource Manager, "Use tags to
    organize your Azure resources".
    """
    return {**labels, "name": name, "pulumi-project": project, "pulumi-stack": stack, "managed-by": "pulumi"}
