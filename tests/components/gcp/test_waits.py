"""In every Google Cloud example, each resource waits for the API, the account and the right that Google wants first."""

from __future__ import annotations

from typing import Final

import pytest

from tests.components.waiting import KUBERNETES, Graph, Registered, Wait, early, graphs

pytestmark = pytest.mark.slow

SERVICE: Final = "gcp:projects/service:Service"
CLUSTER: Final = "gcp:container/cluster:Cluster"
POOL: Final = "gcp:container/nodePool:NodePool"
NETWORK: Final = "gcp:compute/network:Network"
ACCOUNT: Final = "gcp:serviceaccount/account:Account"
GRANT: Final = "gcp:projects/iAMMember:IAMMember"
KEY_USE: Final = "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember"

# Module or type -> the API that answers for it. Grants are the Resource Manager's, whose API the project has on before
# (README); each names an account, a role or a cluster, which the IAM API knows.
# Source: hashicorp/terraform-provider-google, the base path of each service.
APIS: Final = {
    "artifactregistry": "artifactregistry",
    "compute": "compute",
    "container": "container",
    "filestore": "file",
    "kms": "cloudkms",
    "lustre": "lustre",
    "projects/iAMCustomRole": "iam",
    "projects/iAMMember": "iam",
    "projects/serviceIdentity": "container",
    "serviceaccount": "iam",
    "servicenetworking": "servicenetworking",
    "storage": "storage",
}


def api_of(item: Registered) -> str:
    module = item.type.split(":")[1]
    return APIS[module if module in APIS else module.split("/")[0]]


def services(graph: Graph, *apis: str) -> list[Registered]:
    found = {item.inputs["service"]: item for item in graph.of(SERVICE)}
    return [found[f"{api}.googleapis.com"] for api in apis]


def its_api(graph: Graph, item: Registered) -> list[Registered]:
    return [] if item.type == SERVICE else services(graph, api_of(item))


def apis_of_the_cluster(graph: Graph, _: Registered) -> list[Registered]:
    """Of GKE itself, of its nodes and of the zone that its names are in."""
    return services(graph, "compute", "container", "dns")


def rights_of_nodes(graph: Graph, item: Registered) -> list[Registered]:
    accounts = graph.sources(item, "nodeConfig")
    return [*accounts, *(grant for account in accounts for grant in graph.users(account, "member", GRANT))]


def rights_of_the_cluster(graph: Graph, cluster: Registered) -> list[Registered]:
    """What it uses as soon as it is asked for: the nodes' account with its roles, the key of secrets."""
    return [*rights_of_nodes(graph, cluster), *graph.of(KEY_USE)]


def rights_of_the_first_minute(graph: Graph, item: Registered) -> list[Registered]:
    clusters = [cluster for cluster in graph.of(CLUSTER) if item in graph.sources(cluster, "network")]
    return [right for cluster in clusters for right in rights_of_the_cluster(graph, cluster)]


def whole_network(graph: Graph, item: Registered) -> list[Registered]:
    return [
        part
        for network in graph.sources(item, "network")
        for part in (
            *graph.users(network, "network", "gcp:compute/router:Router"),
            *graph.users(network, "network", "gcp:servicenetworking/connection:Connection"),
        )
    ]


RULES: Final = (
    Wait(
        of="gcp:*", what=its_api, why="'has not been used in project before or it is disabled': nothing is tried again"
    ),
    Wait(of=CLUSTER, what=apis_of_the_cluster, why="GKE makes a zone of Cloud DNS (GKE, 'Use Cloud DNS for GKE')"),
    Wait(of=POOL, what=rights_of_nodes, why="nodes without the right to write logs or pull images do not get ready"),
    Wait(
        of=NETWORK,
        what=rights_of_the_first_minute,
        why="a new account takes a minute to be known (IAM, 'Create service accounts'); the network gives it that time",
    ),
    Wait(of=CLUSTER, what=rights_of_the_cluster, why="GKE refuses a cluster whose account or key it may not use"),
    Wait(of=CLUSTER, what=whole_network, why="the wait for accounts and rights ends with the network"),
    *KUBERNETES,
)


def test_nothing_in_any_example_is_made_before_what_it_needs() -> None:
    assert [line for graph in graphs("gcp") for line in early(graph, RULES)] == []


def test_the_rules_meet_what_they_are_about() -> None:
    for graph in graphs("gcp"):
        [cluster] = graph.of(CLUSTER)
        rights = [item.type for item in rights_of_the_cluster(graph, cluster)]
        assert {kind: rights.count(kind) for kind in (ACCOUNT, GRANT, KEY_USE)} == {ACCOUNT: 1, GRANT: 6, KEY_USE: 1}
        for network in graph.sources(cluster, "network"):
            assert len(rights_of_the_first_minute(graph, network)) == len(rights)
            assert whole_network(graph, cluster)


def test_where_no_network_is_made_each_grant_itself_takes_the_time_to_be_known() -> None:
    """IAM documentation, "Access change propagation"."""
    unmade = dict[str, set[bool]]()
    for graph in graphs("gcp"):
        [cluster] = graph.of(CLUSTER)
        grants = [right for right in rights_of_the_cluster(graph, cluster) if right.type != ACCOUNT]
        held = {grant.held for grant in grants}
        if graph.sources(cluster, "network"):
            assert held == {False}, graph.example
        else:
            unmade[graph.example] = held
    assert unmade == {"own-network": {True}}
