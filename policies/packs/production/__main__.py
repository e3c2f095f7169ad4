"""Entry point of `pulumi --policy-pack policies/packs/production`: serves the production pack and never returns."""

from __future__ import annotations

from policies.packs import PRODUCTION
from policies.serve import serve

serve(PRODUCTION)
