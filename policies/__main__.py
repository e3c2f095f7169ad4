"""The entry point that `pulumi --policy-pack policies` starts: serves the training pack and never returns.

It runs with this folder first on the import path, so all imports use the full name, `policies.<module>`.
"""

from __future__ import annotations

from gpucluster.policies.engine.serve import serve
from gpucluster.policies.packs import TRAINING

serve(TRAINING)
