"""`getPolicyDocument`: it needs no account, so its answer is the provider's own.

Source: hashicorp/terraform-provider-aws@084fd7bc internal/service/iam/policy_model.go: one value is a text, several are
a list in descending order; statements with the same id replace each other.

The data sources with an answer that needs no account; all others report that they are not simulated.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.aws.names import ACCOUNT, zone_ids
from gpucluster.sandbox.clouds.cloud import CloudError, UnansweredError
from gpucluster.sandbox.clouds.store.ledger import Ledger

_LATEST: Final = "2012-10-17"
_VARIABLE: Final = ("&{", "${")


def policy_document(args: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs of the data source."""
    sources = [*items(args.get("sourcePolicyDocuments")), *_given(args.get("sourceJson"))]
    overrides = [*items(args.get("overridePolicyDocuments")), *_given(args.get("overrideJson"))]
    own = {
        "Version": args.get("version") or _LATEST,
        "Id": args.get("policyId"),
        "Statement": [_statement(mapping(statement)) for statement in items(args.get("statements"))],
    }
    merged: dict[str, Any] = {}
    for document in (*map(json.loads, sources), own, *map(json.loads, overrides)):
        _merge(merged, document)
    text = json.dumps(merged, indent=2)
    return {
        **args,
        "id": str(zlib.crc32(text.encode())),
        "json": text,
        "minifiedJson": json.dumps(merged, separators=(",", ":")),
    }


def _given(value: Any) -> list[Any]:
    return [value] if value else []


def _merge(into: dict[str, Any], document: Mapping[str, Any]) -> None:
    version, id_ = str(document.get("Version") or ""), document.get("Id")
    if version > str(into.get("Version") or ""):
        into["Version"] = version
    if id_:
        into["Id"] = id_
    found: list[Any] = into.setdefault("Statement", [])
    statements = document.get("Statement")
    for statement in items(statements) or _given(statements):
        sid = mapping(statement).get("Sid")
        at = next((at for at, other in enumerate(found) if sid and other.get("Sid") == sid), None)
        if at is None:
            found.append(statement)
        else:
            found[at] = statement


def _statement(given: Mapping[str, Any]) -> dict[str, Any]:
    made = {
        "Sid": given.get("sid"),
        "Effect": given.get("effect") or "Allow",
        "Action": _values(given.get("actions")),
        "NotAction": _values(given.get("notActions")),
        "Resource": _values(given.get("resources")),
        "NotResource": _values(given.get("notResources")),
        "Principal": _principals(items(given.get("principals"))),
        "NotPrincipal": _principals(items(given.get("notPrincipals"))),
        "Condition": _conditions(items(given.get("conditions"))),
    }
    return {name: value for name, value in made.items() if value}


def _values(given: Any) -> Any:
    found = sorted({str(value).replace(*_VARIABLE) for value in items(given)}, reverse=True)
    return found[0] if len(found) == 1 else found


def _principals(given: Iterable[Any]) -> Any:
    found: dict[str, list[str]] = {}
    for principal in given:
        values = sorted({str(value).replace(*_VARIABLE) for value in items(principal.get("identifiers"))}, reverse=True)
        found.setdefault(str(principal["type"]), []).extend(values)
    if found == {"*": ["*"]}:
        return "*"
    return {kind: values[0] if len(values) == 1 else values for kind, values in sorted(found.items())}


def _conditions(given: Iterable[Any]) -> dict[str, Any]:
    found: dict[str, dict[str, list[str]]] = {}
    for condition in given:
        values = [str(value).replace(*_VARIABLE) for value in items(condition.get("values"))]
        found.setdefault(str(condition["test"]), {}).setdefault(str(condition["variable"]), []).extend(values)
    return {
        test: {name: values[0] if len(values) == 1 else values for name, values in sorted(variables.items())}
        for test, variables in sorted(found.items())
    }


_DESCRIPTIONS = {
    "us-east-1": "US East (N. Virginia)",
    "us-east-2": "US East (Ohio)",
    "us-west-1": "US West (N. California)",
    "us-west-2": "US West (Oregon)",
}


_NAT: Final = "aws:ec2/natGateway:NatGateway"


def answer(token: str, args: Mapping[str, Any], region: str, ledger: Ledger) -> Mapping[str, Any]:
    """The data source's answer for the simulated account."""
    region = args.get("region") or region
    match token:
        case "aws:index/getCallerIdentity:getCallerIdentity":
            return {
                "id": ACCOUNT,
                "accountId": ACCOUNT,
                "arn": f"arn:aws:iam::{ACCOUNT}:user/sandbox",
                "userId": "AIDASANDBOX",
            }
        case "aws:index/getPartition:getPartition":
            return {"id": "aws", "partition": "aws", "dnsSuffix": "amazonaws.com", "reverseDnsPrefix": "com.amazonaws"}
        case "aws:index/getRegion:getRegion":
            description = _DESCRIPTIONS.get(region, region)
            endpoint = f"ec2.{region}.amazonaws.com"
            return {"id": region, "name": region, "region": region, "description": description, "endpoint": endpoint}
        case "aws:index/getAvailabilityZones:getAvailabilityZones":
            zones = zone_ids(region)
            names = sorted(zones)
            groups = [region]
            return {
                "id": region,
                "region": region,
                "names": names,
                "zoneIds": [zones[name] for name in names],
                "groupNames": groups,
            }
        case "aws:ec2/getNatGateway:getNatGateway" if "id" in args:
            there = ledger.get("aws", region, _NAT, args["id"])
            if there is None:
                raise CloudError("no matching EC2 NAT Gateway found")
            return {**there.outputs, "id": there.id, "state": there.state or "available"}
        case "aws:iam/getPolicyDocument:getPolicyDocument":
            return policy_document(args)
        case _:
            raise UnansweredError(token)
