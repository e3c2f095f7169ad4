"""All assumptions of an estimate that users can set: one input each, with unit and default; and default regions.

Default regions are for resources whose region is not in the plan or state: from `--region`, else the environment. A
plan has no step for a default provider, and its configuration lacks regions that come from the environment.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Final

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.resource_types import package_of_region, region_of_environment
from gpucluster.core.program.facts import Terms
from gpucluster.core.program.resources import Resource
from gpucluster.core.program.values import MOST
from gpucluster.cost.rates import usage_default, usage_words

Regions = Mapping[str, tuple[str, str]]
"""Package -> (region, its origin)."""


def regions_in_use(given: Sequence[str] = (), environ: Mapping[str, str] | None = None) -> Regions:
    """The regions to use. given: values of `--region`. ValueError names a region that no cloud could have, or two of
    one cloud.
    """
    found: dict[str, tuple[str, str]] = {}
    for name in given:
        package = package_of_region(name)
        if package is None:
            raise ValueError(f"{name!r} is not a region; write one such as us-east-1, us-central1 or eastus")
        if package in found:
            raise ValueError(f"{found[package][0]} and {name} are regions of one cloud; give one of them")
        found[package] = name, "--region"
    for cloud in clouds().values():
        region = region_of_environment(cloud.package, os.environ if environ is None else environ)
        if region is not None:
            found.setdefault(cloud.package, region)
    return found


_COVERS = (
    ("cud_1y_share", "cud_3y_share"),
    (
        "reservation_1y_share",
        "reservation_3y_share",
        "savings_plan_1y_share",
        "savings_plan_3y_share",
        "instance_savings_plan_1y_share",
        "instance_savings_plan_3y_share",
    ),
)
"""Shares of machines that commitments cover, by cloud."""

OF_ACCOUNTS: Final = frozenset(name for together in _COVERS for name in together)
"""Shares of commitments apply to the whole account and must add up, so they cannot differ by resource."""

_MOST: Final = {"hours_per_month": Decimal(744)}
"""Upper bounds of values other than shares, whose bound is 1. The longest month has 31 days."""


@dataclass(frozen=True)
class Exceptions:
    """Values for single resources: by type token, and by name or URN; the latter take precedence.

    source: the file that sets them.
    """

    types: Mapping[str, Mapping[str, Decimal]]
    resources: Mapping[str, Mapping[str, Decimal]]
    source: str

    def without(self, names: Collection[str]) -> Exceptions:
        """A copy without the given names, which have one value for all resources."""

        def rest(of: Mapping[str, Mapping[str, Decimal]]) -> dict[str, dict[str, Decimal]]:
            return {key: {name: value for name, value in values.items() if name not in names}
                    for key, values in of.items()}  # fmt: skip

        return Exceptions(rest(self.types), rest(self.resources), self.source)

    def of(self, resource: Resource) -> dict[str, Decimal]:
        """The values for one resource."""
        return {
            **self.types.get(resource.type, {}),
            **self.resources.get(resource.name, {}),
            **self.resources.get(resource.urn, {}),
        }

    def origin(self, resource: Resource, assumption: str) -> str:
        """The resource or type whose value an assumption has, and the file that sets it; empty without an exception."""
        for name, places in ((resource.name, (resource.urn, resource.name)), (resource.type, (resource.type,))):
            values = self.types if name == resource.type else self.resources
            if any(f"{key}:" in assumption for place in places for key in values.get(place, {})):
                return f"{name}, by {self.source}"
        return ""


@dataclass(frozen=True, kw_only=True)
class Assumptions:
    """Usage that no plan contains. All quantities are per resource and month.

    expected_share: share of an autoscaled pool's limit that runs on average, 0 to 1; a pool's own annotation
        `gpucluster/expected-gpus` takes precedence.
    cud_1y_share, cud_3y_share: share of on-demand GPU machines of Google Cloud that resource-based committed use of one
        or three years covers, 0 to 1 together.
    reservation_1y_share, reservation_3y_share: the same for Azure's machines under reservations.
    savings_plan_1y_share, savings_plan_3y_share: the same for AWS's and Azure's machines under savings plans that are
        paid monthly; 0 to 1 together with the reservations.
    instance_savings_plan_1y_share, instance_savings_plan_3y_share: the same for AWS's machines under EC2 Instance
        savings plans, which cover one family in one region.
    hours_per_month: running hours of machines; reserved capacity is billed for the whole month. Prices
        of a GPU-hour divide by them.
    nat_gib: GiB that a NAT gateway processes.
    egress_gib: GiB sent to the internet through an internet gateway of AWS or a NAT gateway of the other clouds.
    lb_gib: GiB that a load balancer of Azure processes.
    endpoint_gib: GiB that an interface endpoint processes.
    log_gib: GiB ingested by a log group, including flow logs, and the logs of an EKS control plane whose log group
        the stack does not declare; for a GKE cluster, GiB beyond the project's free allotment.
    prometheus_million_samples: millions of samples that a GKE or AKS cluster sends to Managed Prometheus, in addition
        to those in its own label or tag `gpucluster-expected-million-samples`; or that an Amazon workspace ingests,
        whose own tag `gpucluster/expected-million-samples` takes precedence.
    grafana_users: active users of a Managed Grafana.
    efs_gib: GiB stored in an EFS file system; its own tag `gpucluster/expected-gib` takes precedence.
    s3_gib, gcs_gib, blob_gib: GiB stored in a bucket of Amazon S3 or Cloud Storage, or in a storage account of Azure;
        a Cloud Storage bucket's own label `gpucluster-expected-gib` takes precedence.
    sqs_million_requests: millions of requests to a queue.
    more: values of the other names of `cost/rates/usage.csv`, which has their defaults.
    terms: cloud -> agreed terms of its account, in place of those that components state.
    exceptions: values for single resources.
    regions: for resources without a region in the plan or state.
    """

    expected_share: Decimal = Decimal("0.5")
    cud_1y_share: Decimal = Decimal(0)
    cud_3y_share: Decimal = Decimal(0)
    reservation_1y_share: Decimal = Decimal(0)
    reservation_3y_share: Decimal = Decimal(0)
    savings_plan_1y_share: Decimal = Decimal(0)
    savings_plan_3y_share: Decimal = Decimal(0)
    instance_savings_plan_1y_share: Decimal = Decimal(0)
    instance_savings_plan_3y_share: Decimal = Decimal(0)
    hours_per_month: Decimal = Decimal(730)
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
    more: Mapping[str, Decimal] = field(default_factory=dict[str, Decimal])
    terms: Mapping[str, Terms] = field(default_factory=dict[str, Terms])
    exceptions: Exceptions | None = None
    regions: Regions = field(default_factory=dict[str, tuple[str, str]])

    @classmethod
    def names(cls) -> list[str]:
        """The names that `with_values` accepts."""
        own = _own_names()
        return [*own, *(name for name in usage_words() if name not in own)]

    def amount(self, name: str) -> Decimal:
        """The value of a name."""
        return getattr(self, name) if name in _own_names() else self.more.get(name, usage_default(name))

    def text(self, name: str) -> str:
        """The value of a name with its unit, for users."""
        return f"{name}: {self.amount(name):f} {usage_words()[name]}"

    def of(self, resource: Resource) -> Assumptions:
        """The assumptions for one resource."""
        values = {} if self.exceptions is None else self.exceptions.of(resource)
        return self._with(values) if values else self

    def with_values(self, values: dict[str, str]) -> Assumptions:
        """A copy with some values replaced. ValueError names an unknown name or an invalid value."""
        changes: dict[str, Decimal] = {}
        for name, text in values.items():
            if name not in self.names():
                raise ValueError(f"assumption {unknown_name(name)}")
            fault = fault_of(name, text)
            if fault:
                raise ValueError(f"assumption {name}={fault}")
            changes[name] = Decimal(text)
        found = self._with(changes)
        for together in _COVERS:
            shares = {name: getattr(found, name) for name in together if getattr(found, name)}
            if sum(shares.values()) > 1:
                shown = " and ".join(f"{name}={share}" for name, share in shares.items())
                raise ValueError(f"assumptions {shown} are more than 1 together; a machine has one commitment")
        return found

    def _with(self, values: Mapping[str, Decimal]) -> Assumptions:
        own = _own_names()
        changes = {name: value for name, value in values.items() if name in own}
        more = {name: value for name, value in values.items() if name not in own}
        return replace(self, more={**self.more, **more} if more else self.more, **changes)


@cache
def _own_names() -> tuple[str, ...]:
    """The names that are fields of this class."""
    not_names = ("more", "terms", "exceptions", "regions")
    return tuple(item.name for item in fields(Assumptions) if item.name not in not_names)


def unknown_name(name: str) -> str:
    """Message for an unknown name, with similar names."""
    known = Assumptions.names()
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4) or [one for one in known if name in one][:3]
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"{name!r} is not known{meant} `gpucluster cost usage names` lists all {len(known)}"


def fault_of(name: str, text: str) -> str:
    """The value of a name and the problem with it; empty without a problem."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return f"{text!r} is not a number; write one such as 0.5 or 200"
    most = Decimal(1) if name.endswith("_share") else _MOST.get(name, MOST)
    if not value.is_finite() or not 0 <= value <= most:
        allowed = f"between 0 and {most:,}"
        return f"{text} is out of range; give a number {allowed}"
    return ""
