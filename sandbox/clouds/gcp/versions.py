"""The GKE versions the sandbox knows, newest first, and what a wish such as "1.33." comes to.

All are named by Google as the first to have some feature: load balancers of mixed protocols (1.36.2-gke.1498000), the
Slurm operator (1.35.2-gke.1842000), managed DRANET (1.34.1-gke.1829001), Lustre without its legacy port
(1.33.2-gke.4655000), GPUDirect RDMA on A4 and flex-start (1.32.2-gke.1652000). GKE documentation, the pages of these
features. Which are offered today is not the sandbox's to know.
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
    """The version of a control plane that asks for `wish`; one that already satisfies it stays."""
    if not wish or wish in ("-", "latest"):
        return before or VERSIONS[0]
    if "-gke." in wish:
        return wish
    lines = wish.rstrip(".") + "."
    fitting = [version for version in (before, *VERSIONS) if f"{version}.".replace("-", ".").startswith(lines)]
    return fitting[0] if fitting else f"{'.'.join([*wish.rstrip('.').split('.'), '0', '0'][:3])}-gke.1"
