"""The published practices that our rules implement."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.engine.rule import Framework

AWS_PLACEMENT: Final = Framework(
    name="AWS Well-Architected Framework",
    specification="PERF04-BP06 Choose your workload's location based on network requirements",
    reference="https://docs.aws.amazon.com/wellarchitected/latest/performance-efficiency-pillar/"
    "perf_networking_choose_workload_location_network_requirements.html",
)
GKE_PLACEMENT: Final = Framework(
    name="Google Kubernetes Engine documentation",
    specification="Define compact placement for GKE nodes",
    reference="https://cloud.google.com/kubernetes-engine/docs/how-to/compact-placement",
)
AZURE_INFINIBAND: Final = Framework(
    name="Azure Virtual Machines documentation",
    specification="Set up InfiniBand on HPC VMs",
    reference="https://learn.microsoft.com/azure/virtual-machines/setup-infiniband",
)
FINOPS_ALLOCATION: Final = Framework(
    name="FinOps Framework",
    specification="Allocation",
    reference="https://www.finops.org/framework/capabilities/allocation/",
)
FINOPS_BUDGETING: Final = Framework(
    name="FinOps Framework",
    specification="Budgeting",
    reference="https://www.finops.org/framework/capabilities/budgeting/",
)
