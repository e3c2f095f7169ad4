"""The table of types with labels is that of the installed SDK."""

from __future__ import annotations

from gpucluster.policies.clouds.gcp.labelable import labelable, read_sdk


def test_the_table_is_up_to_date():
    assert dict(labelable()) == read_sdk(), "run: python -m gpucluster.policies.clouds.gcp.labelable"


def test_types_of_a_training_cluster_are_in_it():
    assert {type_: labelable().get(type_) for type_ in _TYPES} == _TYPES


# The list of the labels that a component has to set; None for types that have no argument for them.
_TYPES = {
    "gcp:container/cluster:Cluster": "resourceLabels",
    "gcp:container/nodePool:NodePool": None,
    "gcp:lustre/instance:Instance": "labels",
    "gcp:parallelstore/instance:Instance": "labels",
    "gcp:filestore/instance:Instance": "labels",
    "gcp:storage/bucket:Bucket": "labels",
    "gcp:compute/disk:Disk": "labels",
    "gcp:compute/globalAddress:GlobalAddress": "labels",
    "gcp:compute/network:Network": None,
    "gcp:compute/subnetwork:Subnetwork": None,
    "gcp:compute/firewall:Firewall": None,
    "gcp:compute/router:Router": None,
    "gcp:compute/routerNat:RouterNat": None,
    "gcp:compute/resourcePolicy:ResourcePolicy": None,
    "gcp:compute/reservation:Reservation": None,
    "gcp:compute/futureReservation:FutureReservation": None,
    "gcp:storage/anywhereCache:AnywhereCache": None,
    "gcp:serviceaccount/account:Account": None,
}
