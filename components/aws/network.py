"""The network: a private subnet for GPU nodes, two for control plane and system nodes; NAT, endpoints and logs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pulumi
from pulumi_aws import cloudwatch, ec2, iam, vpc

from gpucluster.components.aws.location import Location, endpoint_service, is_zone_id
from gpucluster.components.aws.planning.network_plan import NetworkPlan
from gpucluster.components.spec.existing import ExistingNetwork


class Network(pulumi.ComponentResource):
    """Outputs: vpc_id, gpu_subnet_id, cluster_subnet_ids. zone_subnet_ids: one subnet in each zone with nodes.

    Nodes depend on `egress`, so that it is deleted after them: a Karpenter that can't reach EC2 leaves its machines
    running.
    """

    vpc_id: pulumi.Output[str]
    gpu_subnet_id: pulumi.Output[str]
    cluster_subnet_ids: list[pulumi.Output[str]]
    zone_subnet_ids: list[pulumi.Output[str]]
    egress: list[pulumi.Resource]
    egress_ip: pulumi.Output[str] | None
    """Address of the nodes on the internet; None without NAT and in the user's network."""

    def __init__(
        self,
        name: str,
        plan: NetworkPlan,
        location: Location,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:aws:Network", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        if plan.existing is not None:
            self._use_existing(plan.existing, location)
            return
        vpc = ec2.Vpc(
            f"{name}-vpc",
            cidr_block=plan.vpc_cidr,
            enable_dns_hostnames=True,
            enable_dns_support=True,
            opts=here,
        )

        def subnet(suffix: str, cidr: str, zone: str, *, role: str | None) -> ec2.Subnet:
            # A node with more than one interface gets no public address at launch: GPU subnets must be private.
            return ec2.Subnet(
                f"{name}-{suffix}",
                vpc_id=vpc.id,
                cidr_block=cidr,
                availability_zone=None if is_zone_id(zone) else zone,
                availability_zone_id=zone if is_zone_id(zone) else None,
                map_public_ip_on_launch=False,
                tags={role: "1"} if role else {},
                opts=here,
            )

        gpu = subnet("gpu", plan.gpu_cidr, location.zone, role="kubernetes.io/role/internal-elb")
        cluster = [
            subnet(f"cluster-{letter}", cidr, zone, role=None)
            for letter, cidr, zone in zip("ab", plan.cluster_cidrs, location.cluster_zones, strict=True)
        ]
        self.egress, self.egress_ip = [], None
        private = self._routes(f"{name}-private", vpc, [gpu, *cluster])
        if plan.nat:
            public = subnet("public", plan.public_cidr, location.cluster_zones[0], role="kubernetes.io/role/elb")
            self.egress += self._nat_routes(name, vpc, public, private)
        # Without this endpoint, the NAT gateway bills every byte of a data set read from S3.
        s3 = ec2.VpcEndpoint(
            f"{name}-s3",
            vpc_id=vpc.id,
            service_name=f"com.amazonaws.{location.region}.s3",
            vpc_endpoint_type="Gateway",
            route_table_ids=[private.id],
            opts=here,
        )
        self.egress.append(s3)
        if plan.services:
            self.egress += interface_endpoints(
                f"{name}-endpoint",
                plan.services,
                vpc_id=vpc.id,
                vpc_cidr=plan.vpc_cidr,
                region=location.region,
                subnet_ids=[item.id for item in cluster],
                opts=here,
            )
        flow_logs(f"{name}-flow-logs", vpc, location.region, here)
        self.vpc_id = vpc.id
        self.gpu_subnet_id = gpu.id
        self.cluster_subnet_ids = [item.id for item in cluster]
        self._set_outputs(location)

    def _use_existing(self, existing: ExistingNetwork, location: Location) -> None:
        """The user's existing network; the stack manages no part of it."""
        self.vpc_id = pulumi.Output.from_input(existing.id)
        self.gpu_subnet_id = pulumi.Output.from_input(existing.nodes)
        self.cluster_subnet_ids = [pulumi.Output.from_input(subnet) for subnet in existing.others]
        self.egress, self.egress_ip = [], None
        self._set_outputs(location)

    def _set_outputs(self, location: Location) -> None:
        zones = zip(self.cluster_subnet_ids, location.cluster_zones, strict=True)
        self.zone_subnet_ids = [self.gpu_subnet_id, *(subnet for subnet, zone in zones if zone != location.zone)]
        self.register_outputs(
            {
                "vpcId": self.vpc_id,
                "gpuSubnetId": self.gpu_subnet_id,
                "clusterSubnetIds": self.cluster_subnet_ids,
            }
        )

    def _routes(self, name: str, vpc: ec2.Vpc, subnets: Sequence[ec2.Subnet]) -> ec2.RouteTable:
        """A separate route table for these subnets."""
        here = pulumi.ResourceOptions(parent=self)
        table = ec2.RouteTable(f"{name}-routes", vpc_id=vpc.id, opts=here)
        self.egress += [
            ec2.RouteTableAssociation(
                f"{member.pulumi_resource_name}-route", route_table_id=table.id, subnet_id=member.id, opts=here
            )
            for member in subnets
        ]
        return table

    def _nat_routes(
        self, name: str, vpc: ec2.Vpc, public: ec2.Subnet, private: ec2.RouteTable
    ) -> list[pulumi.Resource]:
        """A NAT gateway in the public subnet, and the routes to it."""
        here = pulumi.ResourceOptions(parent=self)
        gateway = ec2.InternetGateway(f"{name}-internet", vpc_id=vpc.id, opts=here)
        address = ec2.Eip(f"{name}-nat-address", domain="vpc", opts=here)
        self.egress_ip = address.public_ip
        nat = ec2.NatGateway(
            f"{name}-nat",
            allocation_id=address.id,
            subnet_id=public.id,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[gateway]),
        )
        public_routes = self._routes(f"{name}-public", vpc, [public])
        out = ec2.Route(
            f"{name}-public-out",
            route_table_id=public_routes.id,
            destination_cidr_block="0.0.0.0/0",
            gateway_id=gateway.id,
            opts=here,
        )
        through = ec2.Route(
            f"{name}-private-out",
            route_table_id=private.id,
            destination_cidr_block="0.0.0.0/0",
            nat_gateway_id=nat.id,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[out]),
        )
        return [through]


def interface_endpoints(
    name: str,
    services: Sequence[str],
    *,
    vpc_id: pulumi.Input[str],
    vpc_cidr: str,
    region: str,
    subnet_ids: Sequence[pulumi.Input[str]],
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """One endpoint for each service, by its usual name, in each subnet; open to the network on 443.

    subnet_ids: one in each zone. Each is billed by the hour.
    """
    group = ec2.SecurityGroup(
        f"{name}-group",
        vpc_id=vpc_id,
        description="Interface endpoints of AWS services",
        opts=opts,
    )
    inside = vpc.SecurityGroupIngressRule(
        f"{name}-group-in",
        security_group_id=group.id,
        cidr_ipv4=vpc_cidr,
        ip_protocol="tcp",
        from_port=443,
        to_port=443,
        description="HTTPS from the network",
        opts=opts,
    )
    endpoints: list[pulumi.Resource] = [inside]
    for service in services:
        full = f"{name}-{service.replace('.', '-')}"
        endpoints.append(
            ec2.VpcEndpoint(
                full,
                vpc_id=vpc_id,
                service_name=endpoint_service(region, service),
                vpc_endpoint_type="Interface",
                subnet_ids=list(subnet_ids),
                security_group_ids=[group.id],
                private_dns_enabled=True,
                opts=opts,
            )
        )
    return endpoints


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
