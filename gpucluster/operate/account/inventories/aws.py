"""Resources of a stack in an account of AWS, by their tags, without those that are deleted already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, reduce
from typing import Any, Final

from gpucluster.components.aws.location import Location
from gpucluster.components.planning.labels import aws_tags
from gpucluster.core.catalog.tables import read_rows
from gpucluster.operate.account.inventories.ask import KEYS
from gpucluster.operate.account.inventory import ResourceKind
from gpucluster.operate.clients.aws.caller import Caller, caller_at
from gpucluster.operate.clients.aws.errors import code_of, explained
from gpucluster.operate.clients.cannot_ask import explaining

_BARE: Final = {"s3": "bucket", "sns": "topic", "sqs": "queue"}
"""Services whose ARNs contain no kind. Source: AWS Service Authorization Reference, resource types of each."""

_MISSING: Final = frozenset({"NotFoundException", "ResourceNotFoundException"})


def labels_of(project: str, stack: str) -> Mapping[str, str]:
    """Tags."""
    every = aws_tags({}, project=project, stack=stack, name="")
    return {key: every[key] for key in KEYS}


def log_in(location: Location) -> object:
    """Raises CannotAsk without a good login."""
    return caller_at(location)


def found(location: Location, labels: Mapping[str, str], name: str, stack: str) -> Sequence[ResourceKind]:
    """Of the region alone, with the log group that EKS may write anew after the deletion, and does not tag. The tagging
    API lists a resource for a while after its deletion, so the state of whatever costs money is read.
    """
    with explaining(explained):
        caller = caller_at(location)
        filters = [{"Key": key, "Values": [value]} for key, value in labels.items()]
        tagged = caller.pages("resourcegroupstaggingapi", "get_resources", "ResourceTagMappingList", TagFilters=filters)
        things = [_thing(one["ResourceARN"]) for one in tagged]
        known = {thing.id for thing in things}
        things += [one for one in _log_groups(caller, f"{name}-{stack}") if one.id not in known]
        return _with_holders(_standing(caller, things, labels))


def _thing(arn: str) -> ResourceKind:
    _, _, service, region, _, resource = arn.split(":", 5)
    kind = _BARE.get(service) or resource.replace(":", "/").split("/")[0]
    thing = ResourceKind(kind=f"{service}:{kind}", whole=arn, place=region)
    return replace(thing, inputs={"addonName": thing.parts[1]}) if thing.kind == "eks:addon" else thing


def _log_groups(caller: Caller, cluster: str) -> Iterator[ResourceKind]:
    prefix = f"/aws/eks/{cluster}/cluster"
    for one in caller.pages("logs", "describe_log_groups", "logGroups", logGroupNamePrefix=prefix):
        if one["logGroupName"] == prefix:
            yield ResourceKind(kind="logs:log-group", whole=one["arn"].removesuffix(":*"), place=caller.region)


@cache
def _states() -> Mapping[str, Mapping[str, str]]:
    rows = read_rows("gpucluster/operate/account/inventories/aws_states.csv")
    return {row["kind"]: row for row in rows}


def _standing(caller: Caller, things: Sequence[ResourceKind], labels: Mapping[str, str]) -> list[ResourceKind]:
    """Without those that are deleted or being deleted, and with the sizes that AWS tells."""
    kinds = {thing.kind for thing in things}
    states = {
        kind: _one(caller, row) if row["request"] else _many(caller, row, labels)
        for kind, row in _states().items()
        if kind in kinds
    }
    left: list[ResourceKind] = []
    for thing in things:
        if thing.kind not in states:
            left.append(thing)
            continue
        row, facts = _states()[thing.kind], states[thing.kind](thing)
        if facts is not None and _at(facts, row["state"]).lower() not in row["gone"].split():
            size = _SIZES.get(thing.kind)
            left.append(size(thing, facts) if size else thing)
    return left


def _one(caller: Caller, row: Mapping[str, str]) -> Callable[[ResourceKind], Any]:
    """Asks for each thing."""

    def ask(thing: ResourceKind) -> Any:
        given = dict(part.split("=") for part in row["request"].format(id=thing.id, parts=thing.parts).split())
        try:
            return getattr(caller.client(row["service"]), row["operation"])(**given)[row["key"]]
        except Exception as error:
            if code_of(error) not in _MISSING:
                raise
            return None

    return ask


def _many(caller: Caller, row: Mapping[str, str], labels: Mapping[str, str]) -> Callable[[ResourceKind], Any]:
    """Asks once for all things of a kind."""
    filters = [{"Name": f"tag:{key}", "Values": [value]} for key, value in labels.items()]
    request = {row["filter"]: filters} if row["filter"] else {}
    pages = caller.pages(row["service"], row["operation"], row["key"], **request)
    every = [one for page in pages for one in (page[row["inside"]] if row["inside"] else [page])]
    by_id = {one[row["id"]]: one for one in every}
    return lambda thing: by_id.get(thing.id) or by_id.get(thing.whole)


def _at(facts: Any, path: str) -> str:
    return str(reduce(lambda inner, name: inner[name], path.split("."), facts)) if path else ""


def _machine(thing: ResourceKind, one: Any) -> ResourceKind:
    tags = {tag["Key"]: tag["Value"] for tag in one.get("Tags", [])}
    group = tags.get("eks:nodegroup-name")
    held = f"eks:nodegroup {tags.get('eks:cluster-name')}/{group}" if group else ""
    if one["State"]["Name"] == "stopped":
        return replace(thing, held=held, free="stopped; its volumes are billed by themselves")
    market = {"instanceMarketOptions": {"marketType": kind}} if (kind := one.get("InstanceLifecycle")) else {}
    inputs = {
        "rootBlockDevice": {"volumeSize": 0},  # volumes are separate in the inventory
        "associatePublicIpAddress": "PublicIpAddress" in one,
        "instanceType": one["InstanceType"],
        **market,
    }
    return replace(thing, held=held, inputs=inputs)


def _volume(thing: ResourceKind, one: Any) -> ResourceKind:
    keys = {"size": "Size", "type": "VolumeType", "iops": "Iops", "throughput": "Throughput"}
    inputs = {name: one[key] for name, key in keys.items() if key in one}
    attached = [_instance(to) for to in one.get("Attachments", [])]
    return replace(thing, inputs=inputs, held=attached[0] if attached else "")


def _interface(thing: ResourceKind, one: Any) -> ResourceKind:
    return replace(thing, held=_instance(one.get("Attachment")))


def _instance(attached: Any) -> str:
    """The machine with which something attached to it is deleted; none for any other attachment."""
    goes = attached and attached.get("InstanceId") and attached.get("DeleteOnTermination")
    return f"ec2:instance {attached['InstanceId']}" if goes else ""


def _endpoint(thing: ResourceKind, one: Any) -> ResourceKind:
    return replace(thing, inputs={"vpcEndpointType": one["VpcEndpointType"], "subnetIds": one.get("SubnetIds", [])})


def _file_system(thing: ResourceKind, one: Any) -> ResourceKind:
    lustre = one.get("LustreConfiguration", {})
    inputs = {
        "storageCapacity": one.get("StorageCapacity"),
        "storageType": one.get("StorageType"),
        "deploymentType": lustre.get("DeploymentType"),
        "perUnitStorageThroughput": lustre.get("PerUnitStorageThroughput"),
    }
    return replace(thing, inputs={name: value for name, value in inputs.items() if value is not None})


_SIZES: Final[Mapping[str, Callable[[ResourceKind, Any], ResourceKind]]] = {
    "ec2:instance": _machine,
    "ec2:network-interface": _interface,
    "ec2:volume": _volume,
    "ec2:vpc-endpoint": _endpoint,
    "fsx:file-system": _file_system,
}


def _with_holders(things: Sequence[ResourceKind]) -> list[ResourceKind]:
    """A machine goes with its node group; its volumes and interfaces with the machine; a deleted holder holds
    nothing.
    """
    known = {f"{thing.kind} {thing.id}": thing for thing in things}
    groups = {f"{thing.kind} {'/'.join(thing.parts[:2])}": thing for thing in things if thing.kind == "eks:nodegroup"}
    by_name = {**known, **groups}

    def holder(thing: ResourceKind) -> ResourceKind | None:
        above = by_name.get(thing.held)
        return above and (holder(above) or above)

    return [replace(thing, held=above.whole if (above := holder(thing)) else "") for thing in things]
