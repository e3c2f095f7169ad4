"""Everything the estimate takes for granted and a user may set: one input each, with its unit and default."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from decimal import Decimal, InvalidOperation

__all__ = ["Assumptions"]

_COVERS = (
    ("cud_1y_share", "cud_3y_share"),
    ("reservation_1y_share", "reservation_3y_share", "savings_plan_1y_share", "savings_plan_3y_share"),
)
"""Shares of machines that commitments cover, by cloud."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Assumptions:
    """Usage that no plan can know. All quantities are per resource and month.

    expected_share: share of an autoscaled pool's limit that runs on average, 0 to 1; a pool's own annotation
        `gpucluster/expected-gpus` goes first.
    cud_1y_share, cud_3y_share: share of on-demand GPU machines of Google Cloud that resource-based committed use of one
        or three years covers, 0 to 1 together.
    reservation_1y_share, reservation_3y_share, savings_plan_1y_share, savings_plan_3y_share: the same of Azure's, 0
        to 1 all together.
    nat_gib: GiB that a NAT gateway processes.
    egress_gib: GiB that leave for the internet through a NAT gateway of Google Cloud or Azure.
    lb_gib: GiB that a load balancer of Azure processes.
    endpoint_gib: GiB that an interface endpoint processes.
    log_gib: GiB that a log group takes in, flow logs among them, and the logs of an EKS control plane whose log group
        the stack does not declare; of a GKE cluster those beyond the project's free allotment.
    prometheus_million_samples: millions of samples that a GKE or AKS cluster sends to Managed Prometheus.
    grafana_users: active users of a Managed Grafana.
    efs_gib: GiB stored in an EFS file system; its own tag `gpucluster/expected-gib` goes first.
    s3_gib, gcs_gib, blob_gib: GiB stored in a bucket of Amazon S3 or Cloud Storage, or in a storage account of Azure;
        of a bucket of Cloud Storage its own label `gpucluster-expected-gib` goes first.
    sqs_million_requests: millions of requests to a queue.
    """

    expected_share: Decimal = Decimal("0.5")
    cud_1y_share: Decimal = Decimal(0)
    cud_3y_share: Decimal = Decimal(0)
    reservation_1y_share: Decimal = Decimal(0)
    reservation_3y_share: Decimal = Decimal(0)
    savings_plan_1y_share: Decimal = Decimal(0)
    savings_plan_3y_share: Decimal = Decimal(0)
    nat_gib: Decimal = Decimal(0)
    egress_gib: Decimal = Decimal(0)
    lb_gib: Decimal = Decimal(0)
    endpoint_gib: Decimal = Decimal(0)
    log_gib: Decimal = Decimal(0)
    prometheus_million_samples: Decimal = Decimal(0)
    grafana_users: Decimal = Decimal(0)
    efs_gib: Decimal = Decimal(0)
    s3_gib: Decimal = Decimal(0)
    gcs_gib: Decimal = Decimal(0)
    blob_gib: Decimal = Decimal(0)
    sqs_million_requests: Decimal = Decimal(0)

    @classmethod
    def names(cls) -> list[str]:
        """The names that `with_values` takes."""
        return [item.name for item in fields(cls)]

    def with_values(self, values: dict[str, str]) -> Assumptions:
        """A copy with some values replaced. ValueError names an unknown name, or a value that cannot be."""
        changes: dict[str, Decimal] = {}
        for name, text in values.items():
            if name not in self.names():
                raise ValueError(f"assumption {name!r} is not known; known: {', '.join(self.names())}")
            try:
                value = Decimal(text)
            except InvalidOperation:
                raise ValueError(
                    f"assumption {name}={text!r} is not a number; write {name}=0.5 or {name}=200"
                ) from None
            most = 1 if name.endswith("_share") else None
            if not value.is_finite() or value < 0 or (most is not None and value > most):
                allowed = "between 0 and 1" if most is not None else "0 or more"
                raise ValueError(f"assumption {name}={text} is out of range; give a number {allowed}")
            changes[name] = value
        found = replace(self, **changes)
        for together in _COVERS:
            shares = {name: getattr(found, name) for name in together if getattr(found, name)}
            if sum(shares.values()) > 1:
                shown = " and ".join(f"{name}={share}" for name, share in shares.items())
                raise ValueError(f"assumptions {shown} are more than 1 together; a machine is under one commitment")
        return found
