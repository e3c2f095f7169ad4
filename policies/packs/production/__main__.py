"""Entry point of `pulumi --policy-pack policies/packs/production`: serves the production pack and never returns."""

from __future__ import annotations

from gpucluster.policies.packs import PRODUCTION
from gpucluster.policies.serve import serve

serve(PRODUCTION)
