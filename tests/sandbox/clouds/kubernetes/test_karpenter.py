"""Karpenter in the simulated cluster: definitions first, controller last."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.kubernetes.cluster import Cluster
from gpucluster.sandbox.clouds.ledger import Entry, Ledger

Asked = Callable[..., Resource]
Create = Callable[[Resource], Entry]

RELEASE = "helm.sh/v3:Release"
POOL = "karpenter.sh/v1:NodePool"
CLASS = "karpenter.k8s.aws/v1:EC2NodeClass"
CRD_CHART = "oci://public.ecr.aws/karpenter/karpenter-crd"
CHART = "oci://public.ecr.aws/karpenter/karpenter"


def labelled(key: str) -> dict[str, Any]:
    return {"metadata": {"name": "p"}, "spec": {"template": {"metadata": {"labels": {key: "x"}}}}}


@pytest.mark.parametrize(
    ("release", "token"),
    [
        (None, POOL),
        ({"chart": CHART, "skipCrds": True}, POOL),
        ({"chart": "nvidia-device-plugin"}, POOL),
        ({"chart": "some-operator"}, POOL),
        ({"chart": CRD_CHART}, "example.com/v1:Widget"),
    ],
    ids=["nothing", "chart-without-crds", "other-chart", "unknown-chart", "other-kind"],
)
def test_a_custom_object_whose_kind_is_not_defined_is_refused(
    create: Create, asked: Asked, release: dict[str, Any] | None, token: str
) -> None:
    if release is not None:
        create(asked(RELEASE, "r", **release))
    version, kind = token.split(":")
    with pytest.raises(CloudError, match=re.escape(f'no matches for kind "{kind}" in version "{version}"')):
        create(asked(token, metadata={"name": "p"}))


@pytest.mark.parametrize(
    ("release", "token"),
    [
        ({"chart": CRD_CHART}, POOL),
        ({"chart": CRD_CHART}, CLASS),
        ({"chart": CHART}, POOL),
        ({"chart": "some-operator"}, "example.com/v1:Widget"),
    ],
    ids=["crd-chart", "class", "chart-with-crds", "unknown-chart"],
)
def test_a_release_brings_the_kinds_of_its_chart(
    create: Create, asked: Asked, release: dict[str, Any], token: str
) -> None:
    create(asked(RELEASE, "r", **release))
    assert create(asked(token, metadata={"name": "p"})).id == "p"


def test_a_declared_definition_defines_its_kind(create: Create, asked: Asked) -> None:
    spec = {"group": "example.com", "names": {"kind": "Widget"}}
    create(asked("apiextensions.k8s.io/v1:CustomResourceDefinition", metadata={"name": "widgets"}, spec=spec))
    assert create(asked("example.com/v1:Widget", metadata={"name": "w"})).id == "w"


@pytest.mark.parametrize("chart", [CHART, CRD_CHART])
@pytest.mark.parametrize("token", [POOL, CLASS])
def test_karpenter_is_not_removed_while_its_objects_exist(
    cluster: Cluster, create: Create, asked: Asked, ledger: Ledger, chart: str, token: str
) -> None:
    releases = {name: create(asked(RELEASE, name[-3:], chart=name)) for name in (CRD_CHART, CHART)}
    left = create(asked(token, metadata={"name": "elastic"}))
    expected = f"while {token.split(':')[1]} elastic exists"
    with pytest.raises(CloudError, match=expected):
        cluster.delete(releases[chart])
    ledger.remove(left.provider, left.scope, left.type, left.id)
    cluster.delete(releases[chart])


def test_another_release_is_removed_while_pools_exist(cluster: Cluster, create: Create, asked: Asked) -> None:
    create(asked(RELEASE, "crd", chart=CRD_CHART))
    other = create(asked(RELEASE, "plugin", chart="nvidia-device-plugin"))
    create(asked(POOL, metadata={"name": "p"}))
    cluster.delete(other)


@pytest.mark.parametrize(
    ("key", "what"),
    [
        ("karpenter.sh/pool", 'label domain "karpenter.sh" is restricted'),
        ("a.karpenter.sh/pool", 'label domain "karpenter.sh" is restricted'),
        ("karpenter.k8s.aws/team", 'label domain "karpenter.k8s.aws" is restricted'),
        ("karpenter.sh/nodepool", 'label "karpenter.sh/nodepool" is restricted'),
        ("kubernetes.io/hostname", 'label "kubernetes.io/hostname" is restricted'),
    ],
)
def test_a_label_of_karpenters_own_is_refused_on_create_and_update(
    cluster: Cluster, create: Create, asked: Asked, key: str, what: str
) -> None:
    create(asked(RELEASE, "crd", chart=CRD_CHART))
    with pytest.raises(CloudError, match=re.escape(what)):
        create(asked(POOL, **labelled(key)))
    with pytest.raises(CloudError, match=re.escape(what)):
        cluster.update(replace(asked(POOL, **labelled(key)), id="p"))


@pytest.mark.parametrize("key", ["team", "example.com/team", "karpenter.k8s.aws/instance-gpu-name"])
def test_other_labels_are_taken(create: Create, asked: Asked, key: str) -> None:
    create(asked(RELEASE, "crd", chart=CRD_CHART))
    create(asked(POOL, **labelled(key)))
