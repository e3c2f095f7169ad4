"""The key of Kubernetes secrets. Imports no Pulumi."""

from __future__ import annotations

import re

from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.network_plan import refuse_region
from gpucluster.components.planning.planning import Planning

_KEY = (
    r"^projects/[a-z][a-z0-9-]{4,28}[a-z0-9]/locations/(?P<region>[a-z0-9-]+)/keyRings/[\w-]{1,63}/cryptoKeys/"
    r"[\w-]{1,63}$"
)


def plan_key(key: str | None, planning: Planning[Location]) -> str | None:
    """key: the user's; None if the cluster creates its own."""
    if key is None:
        return None
    found = re.fullmatch(_KEY, key)
    if found is None:
        example = "projects/my-project/locations/us-central1/keyRings/mine/cryptoKeys/secrets"
        planning.refuse("secrets_key", f"is {key!r}", f"write the id of a key, such as {example}")
    elif found["region"] != planning.location.region:
        refuse_region("secrets_key", found["region"], planning)
    planning.notes.append(
        f"secrets_key: {key} is your key: destroy leaves GKE's permission to use it, which all clusters of the project "
        "share; if none is left, remove it: gcloud kms keys remove-iam-policy-binding"
    )
    return key
