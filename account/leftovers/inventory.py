"""Lists resources with a stack's labels in an account with the cloud's own command. Read-only."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from gpucluster.account.leftovers.ec2_sizes import ec2_sizes
from gpucluster.account.leftovers.kinds import Thing
from gpucluster.components.labels import aws_tags, azure_tags, gcp_labels
from gpucluster.components.stack_config import StackConfig
from gpucluster.errors import InputError

_KEYS: Final = ("pulumi-project", "pulumi-stack")

_BARE: Final = {"s3": "bucket", "sns": "topic", "sqs": "queue"}
"""Services of AWS whose ARNs contain no kind. Source: AWS Service Authorization Reference, resource types of each."""


@dataclass(frozen=True, kw_only=True)
class _Way:
    """How to query a cloud. asked: arguments of its command for a location and labels. read: parses its answer. labels:
    in the cloud's form. install, login: the instructions if it fails.
    """

    asked: Callable[[Any, Mapping[str, str]], list[str]]
    read: Callable[[Any, Mapping[str, str]], list[Thing]]
    labels: Callable[..., dict[str, str]]
    install: str
    login: str


def inventory(config: StackConfig, project: str) -> list[Thing]:
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
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise InputError(f"login: {words[0]} does not answer; {way.login}: {said[-1].strip()}")
    return json.loads(done.stdout)


def _ask_aws(location: Any, labels: Mapping[str, str]) -> list[str]:
    # Source: AWS CLI reference, resourcegroupstaggingapi get-resources.
    filters = [f"Key={key},Values={value}" for key, value in labels.items()]
    words = ["aws", "resourcegroupstaggingapi", "get-resources", "--region", location.region]
    return [*words, "--output", "json", "--tag-filters", *filters]


def _read_aws(answer: Any, labels: Mapping[str, str]) -> list[Thing]:
    del labels  # the query has filtered by them
    found: list[Thing] = []
    for one in answer["ResourceTagMappingList"]:
        arn: str = one["ResourceARN"]
        _, _, service, region, _, resource = arn.split(":", 5)
        kind = _BARE.get(service) or resource.replace(":", "/").split("/")[0]
        found.append(Thing(kind=f"{service}:{kind}", whole=arn, place=region))
    return found


def _ask_google(location: Any, labels: Mapping[str, str]) -> list[str]:
    # Without the second project the quota and the API of the one that gcloud uses otherwise would count.
    # Source: gcloud reference, asset search-all-resources and --billing-project.
    query = " AND ".join(f"labels.{key}={value}" for key, value in labels.items())
    words = ["gcloud", "asset", "search-all-resources", f"--scope=projects/{location.project}"]
    return [*words, f"--billing-project={location.project}", f"--query={query}", "--format=json"]


def _read_google(answer: Any, labels: Mapping[str, str]) -> list[Thing]:
    del labels
    found: list[Thing] = []
    for one in answer:
        whole: str = one["name"]
        project = whole.partition("/projects/")[2].split("/")[0]
        found.append(Thing(kind=one["assetType"], whole=whole, place=one.get("location", ""), project=project))
    return found


def _ask_azure(location: Any, labels: Mapping[str, str]) -> list[str]:
    # The command accepts one tag; the other is compared with the answer. Source: Azure CLI reference, az resource list.
    tag = "=".join((_KEYS[1], labels[_KEYS[1]]))
    return ["az", "resource", "list", "--subscription", location.subscription, "--tag", tag, "--output", "json"]


def _read_azure(answer: Any, labels: Mapping[str, str]) -> list[Thing]:
    return [
        Thing(kind=one["type"].lower(), whole=one["id"], place=one["location"], inputs=_sku(one))
        for one in answer
        if labels.items() <= (one["tags"] or {}).items()
    ]


def _sku(one: Any) -> dict[str, Any]:
    # Source: Azure REST API, Resources - List, GenericResourceExpanded.sku.
    return {"sku": {"name": one["sku"]["name"]}} if one.get("sku") else {}


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
