"""Entry point of `pulumi --policy-pack policies/packs/baseline`: serves the baseline pack and never returns."""

from __future__ import annotations

from gpucluster.policies.engine.serve import serve
from gpucluster.policies.packs import BASELINE

serve(BASELINE)
