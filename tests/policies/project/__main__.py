"""Small training pools, one for each of the mistakes that the stack's configuration names; the tests preview them."""

from __future__ import annotations

import datetime

import pulumi
from pulumi_aws import ec2, eks, vpc

LABELS = {"team": "research"}
ACCEPTED = {
    "rule": "training-pool-in-one-domain",
    "resource": "train",
    "reason": "storage test, no collective traffic",
    "owner": "ada",
    "until": str(datetime.date.today() + datetime.timedelta(days=30)),
}

mistakes = (pulumi.Config().get("mistake") or "none").split()


def named(name: str) -> str:
    """The name of a resource; with several mistakes each cluster's are its own."""
    return name if len(mistakes) == 1 else f"{mistake}-{name}"


class Cluster(pulumi.ComponentResource):
    """What a component of somebody else's would look like: it only registers facts."""

    def __init__(self, name: str) -> None:
        super().__init__("example:index:Cluster", name)
        self.own = pulumi.ResourceOptions(parent=self)
        network = ec2.Vpc(named("network"), cidr_block="10.0.0.0/16", tags=LABELS, opts=self.own)
        template, subnets = self.template(network), self.subnets(network)
        if mistake == "split-pool":
            for number, subnet in enumerate(subnets):
                self.pool(template, [subnet], name=f"train-{number}", nodes=1)
        else:
            self.pool(template, subnets)
        budget = {"monthly": "1000" if mistake == "budget" else "9000000", "onExceed": "fail"}
        exemptions = [ACCEPTED] if mistake == "accepted" else []
        stated = {} if mistake == "nothing-stated" else {"requiredLabels": LABELS, "budget": budget}
        self.register_outputs({**stated, "exemptions": exemptions})

    def subnets(self, network: ec2.Vpc) -> list[ec2.Subnet]:
        zones = ["us-east-1a", "us-east-1b"] if mistake in ("two-zones", "split-pool") else ["us-east-1a"]
        return [
            ec2.Subnet(
                named(f"gpu-{zone}"),
                vpc_id=network.id,
                availability_zone=zone,
                cidr_block=f"10.0.{number}.0/24",
                tags=LABELS,
                opts=self.own,
            )
            for number, zone in enumerate(zones)
        ]

    def security_group(self, network: ec2.Vpc) -> ec2.SecurityGroup:
        efa = ec2.SecurityGroup(named("efa"), vpc_id=network.id, tags=LABELS, opts=self.own)
        rules = [vpc.SecurityGroupIngressRule, vpc.SecurityGroupEgressRule]
        for rule in rules[:1] if mistake == "no-egress" else rules:
            rule(
                named(f"efa-{rule.__name__}"),
                security_group_id=efa.id,
                referenced_security_group_id=efa.id,
                ip_protocol="-1",
                tags=LABELS,
                opts=self.own,
            )
        return efa

    def template(self, network: ec2.Vpc) -> ec2.LaunchTemplate:
        efa = first = self.security_group(network)
        if mistake == "efa-elsewhere":
            efa = ec2.SecurityGroup(named("closed"), vpc_id=network.id, tags=LABELS, opts=self.own)
        strategy = "spread" if mistake == "spread" else "cluster"
        group = ec2.PlacementGroup(named("group"), strategy=strategy, tags=LABELS, opts=self.own)
        pairs = [(0, 0, "interface"), (0, 1, "efa-only"), *((card, 0, "efa-only") for card in range(1, 32))]
        if mistake == "idle-reservation":
            ec2.CapacityReservation(
                named("idle"),
                availability_zone="us-east-1a",
                instance_count=5,
                instance_match_criteria="targeted",
                instance_platform="Linux/UNIX",
                instance_type="p5.48xlarge",
                tags=LABELS,
                opts=self.own,
            )
        if mistake == "card-missing":
            pairs.pop()
        if mistake == "doubled-pair":
            pairs.append((7, 0, "efa-only"))
        foreign = {"capacity_reservation_target": {"capacity_reservation_id": "cr-0123456789abcdef0"}}
        tags = {"no-label": {}, "bad-label": {"team": "research", "note": "50 % done"}}.get(mistake, LABELS)
        return ec2.LaunchTemplate(
            named("template"),
            instance_type="p5.48xlarge",
            network_interfaces=[
                {
                    "network_card_index": card,
                    "device_index": device,
                    "interface_type": kind,
                    "security_groups": [first.id if (card, device) == (0, 0) else efa.id],
                    "delete_on_termination": "true",
                }
                for card, device, kind in pairs
            ],
            placement=None if mistake in ("no-group", "accepted") else {"group_name": group.name},
            capacity_reservation_specification=foreign if mistake == "reservation" else None,  # pyright: ignore[reportArgumentType]
            metadata_options={"http_tokens": "required"},
            tag_specifications=[{"resource_type": kind, "tags": LABELS} for kind in ("instance", "volume")],
            tags=tags,
            opts=self.own,
        )

    def pool(
        self, template: ec2.LaunchTemplate, subnets: list[ec2.Subnet], name: str = "train", nodes: int = 5
    ) -> None:
        eks.NodeGroup(
            named(name),
            cluster_name=named("trial"),
            node_role_arn="arn:aws:iam::000000000000:role/node",
            subnet_ids=[subnet.id for subnet in subnets],
            scaling_config={"desired_size": nodes, "max_size": nodes, "min_size": nodes},
            launch_template={"id": "lt-0123456789abcdef0", "version": "1"}
            if mistake == "foreign-template"
            else {"id": template.id, "version": template.latest_version.apply(str)},
            instance_types=["p5.48xlarge"] if mistake == "foreign-template" else None,
            capacity_type="SPOT" if mistake == "spot" else None,
            update_config={"max_unavailable": 1, "update_strategy": "MINIMAL"},
            labels={**LABELS, "kubernetes.io/pool": "a"} if mistake == "node-label" else LABELS,
            tags=LABELS,
            opts=self.own,
        )


for mistake in mistakes:  # noqa: B007 (the methods read it)
    Cluster(named("trial"))
