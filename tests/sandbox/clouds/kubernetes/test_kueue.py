"""Kueue in the simulated cluster: its chart first, and last to go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.kubernetes.cluster import Cluster
from gpucluster.sandbox.clouds.ledger import Entry, Ledger

Asked = Callable[..., Resource]
Create = Callable[[Resource], Entry]

RELEASE = "helm.sh/v3:Release"
CHART = "oci://registry.k8s.io/kueue/charts/kueue"


@pytest.mark.parametrize("kind", ["ResourceFlavor", "AdmissionCheck", "ProvisioningRequestConfig", "ClusterQueue"])
def test_kueues_kinds_come_with_its_chart_even_where_definitions_are_skipped(
    create: Create, asked: Asked, kind: str
) -> None:
    made = asked(f"kueue.x-k8s.io/v1beta2:{kind}", metadata={"name": "elastic"})
    with pytest.raises(CloudError, match=f'no matches for kind "{kind}"'):
        create(made)
    create(asked(RELEASE, "r", chart=CHART, skipCrds=True))
    assert create(made).id == "elastic"


def test_an_unknown_chart_does_not_bring_kueues_kinds(create: Create, asked: Asked) -> None:
    create(asked(RELEASE, "r", chart="some-operator"))
    with pytest.raises(CloudError, match='no matches for kind "ClusterQueue"'):
        create(asked("kueue.x-k8s.io/v1beta2:ClusterQueue", metadata={"name": "elastic"}))


@pytest.mark.parametrize("kind", ["ResourceFlavor", "AdmissionCheck", "ClusterQueue"])
def test_kueue_is_not_removed_while_its_objects_exist(
    cluster: Cluster, create: Create, asked: Asked, ledger: Ledger, kind: str
) -> None:
    release, other = (create(asked(RELEASE, name, chart=name)) for name in (CHART[-5:], "nvidia-device-plugin"))
    left = create(asked(f"kueue.x-k8s.io/v1beta2:{kind}", metadata={"name": "elastic"}))
    with pytest.raises(CloudError, match=f"while {kind} elastic exists"):
        cluster.delete(release)
    cluster.delete(other)
    ledger.remove(left.provider, left.scope, left.type, left.id)
    assert cluster.delete(release)


def test_a_release_goes_while_its_settings_are_still_there(cluster: Cluster, create: Create, asked: Asked) -> None:
    release: Any = create(asked(RELEASE, "r", chart=CHART))
    create(asked("kueue.x-k8s.io/v1beta2:ProvisioningRequestConfig", metadata={"name": "elastic"}))
    assert cluster.delete(release)
