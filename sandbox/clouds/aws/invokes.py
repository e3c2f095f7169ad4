"""The data sources with an answer that needs no account; all others report that they are not simulated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.aws.identity import ACCOUNT, zone_ids
from gpucluster.sandbox.clouds.aws.policy_document import policy_document
from gpucluster.sandbox.clouds.cloud import CloudError, UnansweredError
from gpucluster.sandbox.clouds.ledger import Ledger

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
