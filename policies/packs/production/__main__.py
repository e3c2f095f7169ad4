"""Entry point of `pulumi --policy-pack policies/packs/production`: serves the production pack and never returns."""

from __future__ import annotations

from gpucluster.policies.engine.serve import serve
from gpucluster.policies.packs import PRODUCTION

serve(PRODUCTION)
