"""Questions about the account itself and about what a stack finds in it: roles, versions of EKS, things of the user.

Imports no Pulumi.
"""

from __future__ import annotations

from gpucluster.components.aws.location import Location, partition
from gpucluster.components.cluster.versions import VersionPlan
from gpucluster.core.program.questions import Question


def account_questions(location: Location) -> list[Question]:
    """Whose account it is, the rights of who asks, and the roles that EKS needs."""
    return [
        Question(
            about="account",
            subject=location.account or "of the login",
            needed=f"partition {partition(location.region)}",
            place=location.region,
            title="account",
        ),
        Question(about="rights", subject="on every action of the plan", needed="allowed", title="rights"),
        role_question("AWSServiceRoleForAmazonEKS", "eks"),
        role_question("AWSServiceRoleForAmazonEKSNodegroup", "eks-nodegroup"),
    ]


def role_question(name: str, service: str, note: str = "") -> Question:
    """A service-linked role: the first request to a service makes it, if the caller may; that of spot is for Karpenter,
    which may not.

    Sources: Amazon EKS user guide, using-service-linked-roles; aws/karpenter-provider-aws v1.14.1, troubleshooting.
    """
    spot = service == "spot"
    return Question(
        about="role",
        subject=name,
        needed="exists" if spot else "exists, or may be created",
        title="role",
        details={"service": f"{service}.amazonaws.com", "made": "" if spot else "yes"},
        note=note,
        decides=not spot,
    )


def version_questions(versions: VersionPlan, region: str) -> list[Question]:
    """Whether EKS offers the versions of control plane and nodes."""
    plane = Question(
        about="kubernetes",
        subject=versions.control_plane,
        needed="extended support" if versions.extended else "standard support",
        place=region,
        title="Kubernetes of EKS",
    )
    pools = {"the GPU nodes": ("nvidia", versions.nodes), "the system nodes": ("standard", versions.system)}
    return [
        plane,
        *(
            Question(
                about="image",
                subject=version or versions.control_plane,
                place=region,
                title=f"image of {pool}",
                details={"kind": kind},
            )
            for pool, (kind, version) in pools.items()
        ),
    ]


def bucket_question(address: str, region: str, note: str = "") -> Question:
    """address: s3://NAME/PREFIX."""
    name = address.removeprefix("s3://").split("/")[0]
    return Question(about="bucket", subject=name, needed=f"in {region}", place=region, title="bucket", note=note)


def topic_question(arn: str) -> Question:
    """A topic of SNS that gets alerts."""
    return Question(about="topic", subject=arn, place=arn.split(":")[3], title="topic")


def key_question(arn: str, region: str) -> Question:
    """A key of KMS for the secrets of Kubernetes."""
    return Question(about="key", subject=arn, needed="enabled", place=region, title="key")


def file_system_question(id_: str, region: str) -> Question:
    """A file system of the user."""
    return Question(about="file system of yours", subject=id_, needed="available", place=region, title="file system")
