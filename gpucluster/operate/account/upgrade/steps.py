"""The steps from one minor version to the next: control plane, system pool, one GPU node, the rest."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.kubernetes_versions import builds_of, kubernetes_versions, minor
from gpucluster.operate.account.upgrade.running_versions import Standing

# GKE's nodes accept only a full version.
_FULL: Final = "1.{}.X-gke.Y"
_WHICH: Final = {
    "aws": "aws ssm get-parameter --region {region} --name /aws/service/eks/optimized-ami/{to}/amazon-linux-2023"
    "/x86_64/nvidia/recommended/release_version  # pins kernel and driver: write it in place of {to}",
    "gcp": "gcloud container get-server-config --region REGION  # lists full versions: write one in place of {nodes}",
    "azure": "az aks get-upgrades --resource-group {group} --name {cluster}",
}
# A request of the cluster can't have the version of one pool only: components/azure/control_plane.py.
_SYSTEM_OF_AKS: Final = (
    "az aks nodepool upgrade --resource-group {group} --cluster-name {cluster} --name system --kubernetes-version {to}"
)
# The canary's image for the other nodes: AKS gives a pool its newest, which may have another kernel by then. In the
# cluster's group, because the canary's is deleted.
_SNAPSHOT: Final = (
    "az aks nodepool snapshot create --resource-group {group} --name {name} --query id --output tsv --nodepool-id "
    "$(pulumi stack output account --stack {canary})/providers/Microsoft.ContainerService/managedClusters"
    "/$(pulumi stack output clusterName --stack {canary})/agentPools/training"
)


@dataclass(frozen=True, kw_only=True)
class Stake:
    """The cost of an hour since the last checkpoint. usd: None if no price is known."""

    gpus: int
    usd: Decimal | None

    def __str__(self) -> str:
        return f"{self.gpus:,} GPU-hours, {'price not known' if self.usd is None else f'${self.usd:,.2f}'}"


@dataclass(frozen=True, kw_only=True)
class Step:
    """title: the upgraded part. what: the effect on nodes and jobs. spec: lines to write into it. commands: to run
    then.
    """

    title: str
    what: str
    spec: tuple[str, ...]
    commands: tuple[str, ...]


def next_version(found: Standing) -> str | None:
    """The next minor version of the cloud in our sources; None if there is none."""
    major, now = minor(found.control_plane)
    wanted = f"{major}.{now + 1}"
    return wanted if wanted in kubernetes_versions(found.cloud) else None


def steps(found: Standing, to: str, *, stack: str, stake: Stake) -> list[Step]:
    """The steps in order. to: the next minor version. stake: of all GPU nodes."""
    major, now = minor(found.control_plane)
    nodes = _FULL.format(to.split(".")[1]) if found.cloud == "gcp" else to
    aws, azure = found.cloud == "aws", found.cloud == "azure"
    # AKS' GPU nodes follow the control plane, unless the spec sets their version.
    stay = (f"  nodes: '{major}.{now}'",) if azure else ()
    go = (f"pulumi preview --stack {stack}", f"pulumi up --stack {stack}")
    names = {"to": to, "nodes": nodes, "cluster": found.cluster, "group": found.group, "region": found.region}
    which = _WHICH[found.cloud].format(**names)
    canary = f"{stack}-canary"
    plane = ("versions:", f"  kubernetes: '{to}'", *_builds(found, to))
    system = () if azure else (f"  system: '{nodes}'",)
    all_new = (*plane, *system, f"  nodes: '{nodes}'")
    one = "cost of one node of the training pool, and of a cluster, for the duration of the test"
    return [
        Step(
            title=f"control plane: {major}.{now} to {to}",
            what="nodes and jobs stay; cannot be undone",
            spec=(*plane, *stay),
            commands=(*_addons(found, to), *go),
        ),
        Step(
            title="system pool",
            what="CPU nodes are replaced one by one, with one extra node meanwhile; no job runs on them",
            spec=() if azure else (*plane, *system, *stay),
            commands=(which, _SYSTEM_OF_AKS.format(**names)) if azure else (*(() if aws else (which,)), *go),
        ),
        Step(
            title="one GPU node, in its own stack",
            what=f"nodes of {stack} stay; {one}",
            spec=("training: {nodes: 1, spares: 0}  # in specs/canary.yaml, a copy", *all_new),
            commands=(
                *((which,) if aws else ()),
                f"pulumi stack init {canary} --copy-config-from {stack} --no-select",
                f"pulumi config set gpucluster:spec specs/canary.yaml --stack {canary}",
                f"pulumi up --stack {canary}",
                f"gpucluster connect --stack {canary}",
                "gpucluster acceptance run --results acceptance-canary",
                *(
                    (_SNAPSHOT.format(group=found.group, name=_dashed(f"{stack}-{to}"), canary=canary),)
                    if azure
                    else ()
                ),
                f"pulumi destroy --stack {canary}",
            ),
        ),
        Step(
            title=f"the rest: {', '.join(_of_gpus(found)) or 'no GPU pool'}",
            what="nodes are replaced or reimaged one by one, and jobs on them end; at stake for each hour since the "
            f"last checkpoint: {stake}",
            spec=("training: {roll: true}", *all_new, *(("  image: ID  # the snapshot's",) if azure else ())),
            commands=(
                'kubectl patch clusterqueue training --type merge -p \'{"spec":{"stopPolicy":"Hold"}}\'',
                "kubectl get workloads --namespace training  # wait until none runs",
                *go,
                'kubectl patch clusterqueue training --type merge -p \'{"spec":{"stopPolicy":"None"}}\'',
                f"pulumi up --stack {stack}  # with roll: true removed",
            ),
        ),
    ]


def _dashed(name: str) -> str:
    """A name for a snapshot."""
    return name.replace(".", "-")[:63]


def _of_gpus(found: Standing) -> list[str]:
    return [pool.name for pool in found.pools if pool.gpus]


def _builds(found: Standing, to: str) -> tuple[str, ...]:
    """The line of a spec with the first known builds of the next version; an add-on keeps its own if it is one of them,
    or none is known.
    """
    known = {name: builds_of(name, to).recorded for name in found.addons}
    chosen = ", ".join(
        f"{name}: {builds[0]}" for name, builds in known.items() if builds and found.addons[name] not in builds
    )
    return (f"  addons: {{{chosen}}}",) if chosen else ()


def _addons(found: Standing, to: str) -> tuple[str, ...]:
    """Add-ons of EKS keep their builds until the spec names others.

    Source: Amazon EKS user guide, "Update an Amazon EKS add-on" and "Verify add-on version compatibility".
    """
    if not found.addons:
        return ()
    default = (
        f"aws eks describe-addon-versions --region {found.region} --kubernetes-version {to} --addon-name $addon "
        "--output text --query 'addons[0].addonVersions[?compatibilities[0].defaultVersion].addonVersion'"
    )
    names = " ".join(found.addons)
    return (f"for addon in {names}; do echo $addon: $({default}); done  # defaults of EKS, for versions.addons",)
