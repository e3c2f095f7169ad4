"""What ARM refuses to delete, and what goes with a thing that is deleted.

Sources: Azure Resource Manager documentation, "Delete resource groups": everything in a group goes with it; Azure
virtual network API, error codes InUseSubnetCannotBeDeleted and PublicIPAddressCannotBeDeleted.
"""

from __future__ import annotations

from sandbox.clouds.kubernetes.clusters import api_servers
from sandbox.clouds.ledger import Entry, Ledger

__all__ = ["delete"]


def delete(entry: Entry, ledger: Ledger) -> bool:
    """Whether the thing is gone afterwards."""
    prefix = f"{entry.id.lower()}/"
    for other in ledger.all():
        if other.provider == entry.provider and other.id.lower().startswith(prefix):
            _take_along(other, ledger)
            ledger.remove(other.provider, other.scope, other.type, other.id)
    _take_along(entry, ledger)
    return True


def _take_along(entry: Entry, ledger: Ledger) -> None:
    """With a cluster go its objects."""
    for server in api_servers(entry):
        ledger.remove_scope(server)
