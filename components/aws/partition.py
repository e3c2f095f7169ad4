"""Names that depend on the AWS partition of a region: ARNs, service principals, endpoints. Imports no Pulumi."""

from __future__ import annotations

# Interface endpoints with a separate prefix in China. Source: aws/aws-cdk, aws-ec2/lib/vpc-endpoint.ts.
_CHINESE = frozenset({"ec2", "ecr.api", "ecr.dkr", "eks", "monitoring", "sqs", "sts"})


# Account of EKS' image registry. Source: Amazon EKS user guide, add-ons-images.
_REGISTRIES = {"us-gov-east-1": "151742754352", "us-gov-west-1": "013241004608"}


def partition(region: str) -> str:
    """The second part of the ARNs of a region."""
    if region.startswith("cn-"):
        return "aws-cn"
    return "aws-us-gov" if region.startswith("us-gov-") else "aws"


def addon_registry(region: str) -> str | None:
    """Registry for AWS' charts in a partition that can't pull from the registry in their values."""
    account = _REGISTRIES.get(region)
    return None if account is None else f"{account}.dkr.ecr.{region}.amazonaws.com"


def console(region: str) -> str:
    """Host of the console. Source: hosts of AWS' own documentation of each partition, "Getting started"."""
    return {"aws-us-gov": "console.amazonaws-us-gov.com", "aws-cn": "console.amazonaws.cn"}.get(
        partition(region), "console.aws.amazon.com"
    )


def ec2_principal(region: str) -> str:
    """EC2 in trust policies. EKS requires this name in China, although its own principal there is the usual one.

    Source: awslabs/cdk-eks-blueprints issue 558, terraform-aws-modules/terraform-aws-eks issues 1904 and 3636.
    """
    return "ec2.amazonaws.com.cn" if partition(region) == "aws-cn" else "ec2.amazonaws.com"


def endpoint_service(region: str, service: str) -> str:
    """The full name of a service's interface endpoint."""
    chinese = partition(region) == "aws-cn" and service in _CHINESE
    return f"{'cn.com.amazonaws' if chinese else 'com.amazonaws'}.{region}.{service}"
