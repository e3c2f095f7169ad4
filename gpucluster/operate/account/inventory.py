"""The kinds of resources in clouds' inventories: their price type, and the command that removes one."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

from gpucluster.components.planning.labels import aws_tags, azure_tags, gcp_labels
from gpucluster.components.stack.stack_config import StackConfig
from gpucluster.core.catalog.tables import read_rows
from gpucluster.errors import InputError

_OF_AZURE: Final = "az resource delete --ids {whole}"
"""Removes any Azure resource. Source: Azure CLI reference, az resource delete."""


@dataclass(frozen=True)
class Kind:
    """type: Pulumi's, which determines the price; empty if that depends on facts missing in inventories. remove: a
    command, with fields of a ResourceKind.
    """

    type: str
    remove: str


@dataclass(frozen=True, kw_only=True)
class ResourceKind:
    """One resource of an account. kind: in the inventory's terms. whole: its ARN, full name or id. place: its region or
    zone. project: of Google Cloud. inputs: its size as far as the cloud reports it, as inputs of Pulumi's type.
    """

    kind: str
    whole: str
    place: str
    project: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def id(self) -> str:
        """Its id in commands."""
        if self.whole.startswith("arn:"):
            resource = self.whole.split(":", 5)[5]
            # `natgateway/nat-1`, `cluster/NAME`, `log-group:NAME` with slashes in it, or the name of a bucket.
            return re.split("[:/]", resource, maxsplit=1)[-1].removesuffix(":*")
        of_path = self.whole.startswith(("//", "projects/", "/subscriptions/"))
        return self.whole.rsplit("/", 1)[-1] if of_path else self.whole

    @property
    def path(self) -> str:
        """The full name on Google Cloud, without its service."""
        return re.sub("^//[^/]+/", "", self.whole)

    @property
    def region(self) -> str:
        return re.sub("-[a-z]$", "", self.place)


@cache
def _kinds() -> dict[str, Kind]:
    return {row["kind"]: Kind(row["type"], row["remove"]) for row in read_rows("gpucluster/operate/account/kinds.csv")}


@cache
def kinds_by_type() -> dict[str, str]:
    """Pulumi's type -> the kind."""
    return {kind.type: name for name, kind in _kinds().items() if kind.type}


def kind_of(thing: ResourceKind) -> Kind:
    """Its kind; without price and command if it is not in the table."""
    return _kinds().get(thing.kind, Kind("", ""))


def removal(thing: ResourceKind) -> str:
    """The command that removes it; empty if unknown."""
    command = kind_of(thing).remove or (_OF_AZURE if thing.whole.startswith("/subscriptions/") else "")
    fields = {name: getattr(thing, name) for name in ("id", "whole", "place", "project", "path", "region")}
    return command.format(**fields)


_INSTANCE: Final = "ec2:instance"
_VOLUME: Final = "ec2:volume"


def ec2_sizes(
    things: Sequence[ResourceKind], answer: Callable[[list[str]], Any], region: str, labels: Mapping[str, str]
) -> list[ResourceKind]:
    """The inventory with sizes of machines and volumes, and without deleted ones, which the inventory continues to
    list. answer: runs a command and returns its output.
    """
    # Source: AWS CLI reference, ec2 describe-instances and describe-volumes.
    more = ["--region", region, "--output", "json", "--filters"]
    more += [f"Name=tag:{key},Values={value}" for key, value in labels.items()]
    kinds = {thing.kind for thing in things}
    there: dict[str, dict[str, Any]] = {}
    if _INSTANCE in kinds:
        for reservation in answer(["aws", "ec2", "describe-instances", *more])["Reservations"]:
            there |= {
                one["InstanceId"]: _machine(one)
                for one in reservation["Instances"]
                if one["State"]["Name"] != "terminated"
            }
    if _VOLUME in kinds:
        for one in answer(["aws", "ec2", "describe-volumes", *more])["Volumes"]:
            there[one["VolumeId"]] = _volume(one)
    return [
        replace(thing, inputs=there[thing.id]) if thing.id in there else thing
        for thing in things
        if thing.id in there or thing.kind not in (_INSTANCE, _VOLUME)
    ]


def _machine(one: Any) -> dict[str, Any]:
    # Disks are separate in the inventory; a stopped machine costs nothing except them.
    inputs = {"rootBlockDevice": {"volumeSize": 0}, "associatePublicIpAddress": "PublicIpAddress" in one}
    if one["State"]["Name"] == "stopped":
        return inputs
    market = {"instanceMarketOptions": {"marketType": kind}} if (kind := one.get("InstanceLifecycle")) else {}
    return {**inputs, "instanceType": one["InstanceType"], **market}


def _volume(one: Any) -> dict[str, Any]:
    keys = {"size": "Size", "type": "VolumeType", "iops": "Iops", "throughput": "Throughput"}
    return {name: one[key] for name, key in keys.items() if key in one}


_KEYS: Final = ("pulumi-project", "pulumi-stack")

_BARE: Final = {"s3": "bucket", "sns": "topic", "sqs": "queue"}
"""Services of AWS whose ARNs contain no kind. Source: AWS Service Authorization Reference, resource types of each."""


@dataclass(frozen=True, kw_only=True)
class _Way:
    """How to query a cloud. asked: arguments of its command for a location and labels. read: parses its answer. labels:
    in the cloud's form. install, login: the instructions if it fails.
    """

    asked: Callable[[Any, Mapping[str, str]], list[str]]
    read: Callable[[Any, Mapping[str, str]], list[ResourceKind]]
    labels: Callable[..., dict[str, str]]
    install: str
    login: str


def inventory(config: StackConfig, project: str) -> list[ResourceKind]:
    """The resources with the labels of a stack. Raises InputError for a missing place, command or login."""
    if config.cloud is None or config.location is None:
        raise InputError(config.source, [config.named(problem) for problem in config.problems])
    way = _WAYS[config.cloud]
    every = way.labels({}, project=project, stack=config.stack, name="")
    labels = {key: every[key] for key in _KEYS}
    found = way.read(_answer(way, way.asked(config.location, labels)), labels)
    if config.cloud == "aws":
        found = ec2_sizes(found, lambda words: _answer(way, words), config.location.region, labels)
    # Names of buckets contain no region.
    return [replace(thing, place=thing.place or config.location.region) for thing in found]


def _answer(way: _Way, words: Sequence[str]) -> Any:
    program = shutil.which(words[0])
    if program is None:
        raise InputError(f"command: {words[0]} is not on PATH, but it is needed to read the account; {way.install}")
    done = subprocess.run([program, *words[1:]], capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise InputError(f"login: {words[0]} does not answer; {way.login}: {lines[-1].strip()}")
    return json.loads(done.stdout)


def _ask_aws(location: Any, labels: Mapping[str, str]) -> list[str]:
    # Source: AWS CLI reference, resourcegroupstaggingapi get-resources.
    filters = [f"Key={key},Values={value}" for key, value in labels.items()]
    words = ["aws", "resourcegroupstaggingapi", "get-resources", "--region", location.region]
    return [*words, "--output", "json", "--tag-filters", *filters]


def _read_aws(answer: Any, labels: Mapping[str, str]) -> list[ResourceKind]:
    del labels  # the query has filtered by them
    found: list[ResourceKind] = []
    for one in answer["ResourceTagMappingList"]:
        arn: str = one["ResourceARN"]
        _, _, service, region, _, resource = arn.split(":", 5)
        kind = _BARE.get(service) or resource.replace(":", "/").split("/")[0]
        found.append(ResourceKind(kind=f"{service}:{kind}", whole=arn, place=region))
    return found


def _ask_google(location: Any, labels: Mapping[str, str]) -> list[str]:
    # Without the second project the quota and the API of the one that gcloud uses otherwise would count.
    # Source: gcloud reference, asset search-all-resources and --billing-project.
    query = " AND ".join(f"labels.{key}={value}" for key, value in labels.items())
    words = ["gcloud", "asset", "search-all-resources", f"--scope=projects/{location.project}"]
    return [*words, f"--billing-project={location.project}", f"--query={query}", "--format=json"]


def _read_google(answer: Any, labels: Mapping[str, str]) -> list[ResourceKind]:
    del labels
    found: list[ResourceKind] = []
    for one in answer:
        whole: str = one["name"]
        project = whole.partition("/projects/")[2].split("/")[0]
        found.append(ResourceKind(kind=one["assetType"], whole=whole, place=one.get("location", ""), project=project))
    return found


def _ask_azure(location: Any, labels: Mapping[str, str]) -> list[str]:
    # The command accepts one tag; the other is compared with the answer. Source: Azure CLI reference, az resource list.
    tag = "=".join((_KEYS[1], labels[_KEYS[1]]))
    return ["az", "resource", "list", "--subscription", location.subscription, "--tag", tag, "--output", "json"]


def _read_azure(answer: Any, labels: Mapping[str, str]) -> list[ResourceKind]:
    return [
        ResourceKind(kind=one["type"].lower(), whole=one["id"], place=one["location"], inputs=_sku(one))
        for one in answer
        if labels.items() <= (one["tags"] or {}).items()
    ]


def _sku(one: Any) -> dict[str, Any]:
    # A cluster's price is in its tier, that of machines in the capacity.
    # Source: Azure REST API, Resources - List, GenericResourceExpanded.sku.
    given: dict[str, Any] = one.get("sku") or {}
    sku = {key: value for key, value in given.items() if value is not None}
    return {"sku": sku} if sku else {}


_WAYS: Final = {
    "aws": _Way(
        asked=_ask_aws,
        read=_read_aws,
        labels=aws_tags,
        install="install the AWS CLI (docs.aws.amazon.com/cli)",
        login="log in with `aws sso login` or `aws configure`; it needs tag:GetResources, ec2:DescribeInstances "
        "and ec2:DescribeVolumes",
    ),
    "gcp": _Way(
        asked=_ask_google,
        read=_read_google,
        labels=gcp_labels,
        install="install the Google Cloud CLI (cloud.google.com/sdk/docs/install)",
        login="log in with `gcloud auth login`; it needs cloudasset.assets.searchAllResources and the Cloud Asset API",
    ),
    "azure": _Way(
        asked=_ask_azure,
        read=_read_azure,
        labels=azure_tags,
        install="install the Azure CLI (learn.microsoft.com/cli/azure)",
        login="log in with `az login`",
    ),
}
