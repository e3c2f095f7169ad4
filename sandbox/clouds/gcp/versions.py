"""The GKE versions of the sandbox, newest first, and the resolution of requests such as "1.33.".

Google documents each as the first with some feature: load balancers of mixed protocols (1.36.2-gke.1498000), the
Slurm operator (1.35.2-gke.1842000), managed DRANET (1.34.1-gke.1829001), Lustre without its legacy port
(1.33.2-gke.4655000), GPUDirect RDMA on A4 and flex-start (1.32.2-gke.1652000). GKE documentation, the pages of these
features. The sandbox does not check which versions are available today.
"""

from __future__ import annotations

from typing import Final

VERSIONS: Final = (
    "1.36.2-gke.1498000",
    "1.35.2-gke.1842000",
    "1.34.1-gke.1829001",
    "1.33.2-gke.4655000",
    "1.32.2-gke.1652000",
)


def resolved(wish: str, before: str) -> str:
    """The version of a control plane that requests `wish`; a matching existing version stays."""
    if not wish or wish in ("-", "latest"):
        return before or VERSIONS[0]
    if "-gke." in wish:
        return wish
    lines = wish.rstrip(".") + "."
    fitting = [version for version in (before, *VERSIONS) if f"{version}.".replace("-", ".").startswith(lines)]
    return fitting[0] if fitting else f"{'.'.join([*wish.rstrip('.').split('.'), '0', '0'][:3])}-gke.1"
