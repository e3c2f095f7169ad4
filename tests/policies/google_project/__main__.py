"""Small GKE training pools, one for each of the mistakes that the configuration names; the tests preview them."""

from __future__ import annotations

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_gcp import compute, container

LABELS = {"team": "research"}
NETWORKS = 4
PLUGIN = "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev:v3.1.12"

mistakes = (pulumi.Config().get("mistake") or "none").split()


def named(name: str) -> str:
    """The name of a resource; with several mistakes each cluster's are its own."""
    return name if len(mistakes) == 1 else f"{mistake}-{name}"


class Cluster(pulumi.ComponentResource):
    """What a component of somebody else's would look like: it only registers facts."""

    def __init__(self, name: str) -> None:
        super().__init__("example:index:Cluster", name)
        self.own = pulumi.ResourceOptions(parent=self)
        network = compute.Network(named("network"), auto_create_subnetworks=False, mtu=8244, opts=self.own)
        cluster = container.Cluster(
            named("cluster"),
            location="us-central1",
            network=network.id,
            enable_multi_networking=True,
            datapath_provider="ADVANCED_DATAPATH",
            initial_node_count=1,
            remove_default_node_pool=True,
            deletion_protection=False,
            master_authorized_networks_config={"cidr_blocks": [{"cidr_block": "203.0.113.0/24"}]},
            maintenance_policy={
                "maintenance_exclusions": [
                    {
                        "exclusion_name": "jobs",
                        "start_time": "2026-01-01T00:00:00Z",
                        "exclusion_options": {
                            "scope": "NO_MINOR_OR_NODE_UPGRADES",
                            "end_time_behavior": "UNTIL_END_OF_SUPPORT",
                        },
                    }
                ],
                "daily_maintenance_window": {"start_time": "03:00"},
            },
            resource_labels={"no-label": {}, "bad-label": {**LABELS, "note": "50 %"}}.get(mistake, LABELS),
            opts=self.own,
        )
        inside = pulumi.ResourceOptions(parent=self, provider=self.kubernetes(cluster))
        networks = [self.network(number, inside) for number in range(NETWORKS)]
        if mistake == "network-missing":
            networks.pop()
        self.pool(cluster, networks)
        self.installer(inside)
        budget = {"monthly": "1000" if mistake == "budget" else "9000000", "onExceed": "fail"}
        self.register_outputs({"requiredLabels": LABELS, "budget": budget})

    def kubernetes(self, cluster: container.Cluster) -> kubernetes.Provider:
        return kubernetes.Provider(named("inside"), kubeconfig=cluster.endpoint, opts=self.own)

    def network(
        self, number: int, inside: pulumi.ResourceOptions
    ) -> tuple[compute.Network, compute.Subnetwork, pulumi.Resource]:
        """A GPU VPC with its subnet, its firewall rule and the objects by which pods ask for it."""
        name = named(f"gpu-{number}")
        mtu = 1460 if mistake == "mtu" and number == 2 else 8244
        network = compute.Network(name, auto_create_subnetworks=False, mtu=mtu, opts=self.own)
        cidr = f"192.168.{16 * number}.0/20"
        subnet = compute.Subnetwork(name, network=network.id, region="us-central1", ip_cidr_range=cidr, opts=self.own)
        protocols = ["tcp", "udp"] if mistake == "no-icmp" else ["tcp", "udp", "icmp"]
        compute.Firewall(
            name,
            network=network.id,
            allows=[{"protocol": protocol} for protocol in protocols],
            source_ranges=[cidr],
            opts=self.own,
        )
        metadata = {"name": name, "labels": LABELS}
        parameters = kubernetes.apiextensions.CustomResource(
            f"{name}-parameters",
            api_version="networking.gke.io/v1",
            kind="GKENetworkParamSet",
            metadata=metadata,
            spec={"vpc": network.name, "vpcSubnet": subnet.name, "deviceMode": "NetDevice"},
            opts=inside,
        )
        reference = {"group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": name}
        kubernetes.apiextensions.CustomResource(
            f"{name}-network",
            api_version="networking.gke.io/v1",
            kind="Network",
            metadata=metadata,
            spec={"type": "Device", "parametersRef": reference},
            opts=pulumi.ResourceOptions.merge(inside, pulumi.ResourceOptions(depends_on=[parameters])),
        )
        return network, subnet, parameters

    def pool(
        self,
        cluster: container.Cluster,
        networks: list[tuple[compute.Network, compute.Subnetwork, pulumi.Resource]],
    ) -> None:
        small = mistake == "on-demand-1g"
        reserved = {
            "consume_reservation_type": "SPECIFIC_RESERVATION",
            "key": "compute.googleapis.com/reservation-name",
            "values": ["projects/elsewhere/reservations/h100"],
        }
        zones = {"two-zones": ["us-central1-a", "us-central1-c"], "no-zone": None}
        container.NodePool(
            named("train"),
            cluster=cluster.name,
            location="us-central1",
            node_locations=zones.get(mistake, ["us-central1-a"]),
            node_count=1 if mistake in zones else 5,
            placement_policy=None if mistake == "no-policy" else {"type": "COMPACT"},
            upgrade_settings={"max_surge": 0, "max_unavailable": 1},
            network_config={
                "enable_private_nodes": True,
                "additional_node_network_configs": []
                if small
                else [{"network": network.name, "subnetwork": subnet.name} for network, subnet, _ in networks],
            },
            node_config={  # pyright: ignore[reportArgumentType]
                "machine_type": "a3-highgpu-1g" if small else "a3-highgpu-8g",
                "guest_accelerators": [
                    {
                        "type": "nvidia-h100-80gb",
                        "count": {"gpus": 4, "on-demand-1g": 1}.get(mistake, 8),
                        "gpu_driver_installation_config": {"gpu_driver_version": "DEFAULT"},
                    }
                ],
                "ephemeral_storage_local_ssd_config": {"local_ssd_count": 2 if small else 16},
                "gvnic": {"enabled": True},
                "reservation_affinity": reserved if mistake == "reservation" else None,
                "spot": mistake == "spot",
                "labels": LABELS,
                "resource_labels": LABELS,
            },
            opts=self.own,
        )

    def installer(self, inside: pulumi.ResourceOptions) -> None:
        """The plugin of the fabric, which is privileged, or something else that is."""
        name = "shell" if mistake == "privileged" else "nccl-tcpx-installer"
        own = {"app": name}
        kubernetes.apps.v1.DaemonSet(
            named("installer"),
            metadata={"name": name, "namespace": "kube-system", "labels": LABELS},
            spec={  # pyright: ignore[reportArgumentType]
                "selector": {"matchLabels": own},
                "template": {
                    "metadata": {"labels": own},
                    "spec": {"containers": [{"name": name, "image": PLUGIN, "securityContext": {"privileged": True}}]},
                },
            },
            opts=inside,
        )


for mistake in mistakes:  # noqa: B007 (the methods read it)
    Cluster(named("trial"))
