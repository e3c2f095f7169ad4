"""VPC flow logs: connections between addresses, for later investigations."""

from __future__ import annotations

from typing import Any

import pulumi
from pulumi_aws import cloudwatch, ec2, iam

_RETENTION_DAYS = 30


def flow_logs(name: str, vpc: ec2.Vpc, region: str, opts: pulumi.ResourceOptions) -> ec2.FlowLog:
    """All traffic of a VPC into a log group. Its writer may not create groups, so none reappears after a destroy.

    Source of role and permissions: Amazon VPC user guide, flow-logs-iam-role.
    """
    group = cloudwatch.LogGroup(f"{name}-group", retention_in_days=_RETENTION_DAYS, opts=opts)
    role = iam.Role(
        f"{name}-role",
        assume_role_policy=pulumi.Output.json_dumps(_policy(vpc.arn.apply(lambda arn: _trust(arn, region)))),
        opts=opts,
    )
    writing = {
        "Effect": "Allow",
        "Action": ["logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogStreams"],
        "Resource": pulumi.Output.concat(group.arn, ":*"),
    }
    finding = {"Effect": "Allow", "Action": "logs:DescribeLogGroups", "Resource": "*"}
    right = iam.RolePolicy(
        f"{name}-role-policy",
        role=role.name,
        policy=pulumi.Output.json_dumps(_policy(writing, finding)),
        opts=opts,
    )
    return ec2.FlowLog(
        name,
        vpc_id=vpc.id,
        traffic_type="ALL",
        log_destination_type="cloud-watch-logs",
        log_destination=group.arn,
        iam_role_arn=role.arn,
        max_aggregation_interval=600,
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[right])),
    )


def _trust(vpc_arn: str, region: str) -> dict[str, Any]:
    """The flow log service, on behalf of this account's flow logs only."""
    partition, account = vpc_arn.split(":")[1], vpc_arn.split(":")[4]
    return {
        "Effect": "Allow",
        "Principal": {"Service": "vpc-flow-logs.amazonaws.com"},
        "Action": "sts:AssumeRole",
        "Condition": {
            "StringEquals": {"aws:SourceAccount": account},
            "ArnLike": {"aws:SourceArn": f"arn:{partition}:ec2:{region}:{account}:vpc-flow-log/*"},
        },
    }


def _policy(*statements: Any) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": list(statements)}
