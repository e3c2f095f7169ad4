"""Stops an update of Trainer that deletes all jobs of the cluster."""

from __future__ import annotations

from typing import Final

import pulumi

from gpucluster.components.kubernetes.objects.charts import CHART_SET
from gpucluster.core.catalog.kubernetes_versions import minor

# From this version on, the CRDs are objects of the release, so a release of an older chart deletes them.
# Source: charts/kubeflow-trainer of kubeflow/trainer v2.2.1 and v2.3.0.
_OWNS_CRDS: Final = (2, 3)


def keeps_trainer_crds(name: str, chart_set: str | None) -> pulumi.ResourceHookBinding:
    """A hook for Trainer's release, which runs in a preview as well. chart_set: named by the spec, None if it names
    none; who names the set of this release of gpucluster has prepared the CRDs.
    """

    def check(args: pulumi.ResourceHookArgs) -> None:
        old, new = (str((inputs or {}).get("version", "")) for inputs in (args.old_inputs, args.new_inputs))
        if chart_set != CHART_SET and _owns_crds(old) and not _owns_crds(new):
            raise RuntimeError(
                f"{args.name}: Trainer {old} -> {new} deletes all TrainJobs and runtimes with their CRDs, unless you "
                f'keep them first (docs/upgrading-jobs.md, "From Trainer 2.3"); after that, write versions.charts: '
                f"{CHART_SET!r} into the spec"
            )

    hook = pulumi.ResourceHook(f"{name}-keeps-crds", check, pulumi.ResourceHookOptions(on_dry_run=True))
    return pulumi.ResourceHookBinding(before_update=[hook])


def _owns_crds(version: str) -> bool:
    """Whether a release of this chart deletes the CRDs with itself; of what is no version it may."""
    try:
        return minor(version) >= _OWNS_CRDS
    except ValueError:
        return True
