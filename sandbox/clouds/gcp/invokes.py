"""The data sources with an answer that needs no account; all others report that they are not simulated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import items
from gpucluster.sandbox.clouds.cloud import CloudError, SettingError, UnansweredError
from gpucluster.sandbox.clouds.gcp.machines import NODE_POOL, VERSIONS
from gpucluster.sandbox.clouds.gcp.model import EXAMPLES, LINKS, number_of, region_of, zones_of
from gpucluster.sandbox.clouds.store.ledger import Ledger

INSTANCE_GROUPS: Final = (
    "gcp:compute/getInstanceGroup:getInstanceGroup",
    "gcp:compute/getInstanceGroupManager:getInstanceGroupManager",
)
_GROUPS: Final = "managedInstanceGroupUrls"


def answer(token: str, args: Mapping[str, Any], project: str, region: str, zone: str) -> Mapping[str, Any]:
    """The data source's answer for the simulated project; region and zone are the provider's."""
    project = str(args.get("project") or args.get("projectId") or project)
    region = str(args.get("region") or region or region_of(zone))
    match token:
        case "gcp:organizations/getClientConfig:getClientConfig":
            access_token = "the token of a sandbox opens nothing"
            return {
                "id": f'projects/"{project}"/regions/"{region}"/zones/"{zone}"',
                "project": project,
                "region": region,
                "zone": zone,
                "accessToken": access_token,
                "defaultLabels": {},
            }
        case "gcp:organizations/getProject:getProject":
            _needed("project", project)
            return {
                "id": f"projects/{project}",
                "projectId": project,
                "name": project,
                "number": number_of(project),
                "labels": {},
                "effectiveLabels": {},
                "pulumiLabels": {},
                "tags": {},
                "autoCreateNetwork": True,
                "billingAccount": "000000-000000-000000",
                "deletionPolicy": "PREVENT",
                "folderId": "",
                "orgId": "",
            }
        case "gcp:compute/getZones:getZones":
            _needed("region", region)
            return {"id": f"projects/{project}/regions/{region}", "project": project, "region": region} | {
                "names": zones_of(region)
            }
        case "gcp:container/getEngineVersions:getEngineVersions":
            return _versions(args, project, region)
        case "gcp:storage/getProjectServiceAccount:getProjectServiceAccount":
            _needed("project", project)
            email = f"service-{number_of(project)}@gs-project-accounts.iam.gserviceaccount.com"
            return {"id": email, "project": project, "emailAddress": email, "member": f"serviceAccount:{email}"}
        case "gcp:compute/getDefaultServiceAccount:getDefaultServiceAccount":
            _needed("project", project)
            email = f"{number_of(project)}-compute@developer.gserviceaccount.com"
            path = f"projects/{project}/serviceAccounts/{email}"
            return {
                "id": path,
                "project": project,
                "email": email,
                "member": f"serviceAccount:{email}",
                "name": path,
                "displayName": "Compute Engine default service account",
                "uniqueId": number_of(project),
            }
        case _:
            raise UnansweredError(token)


def _versions(args: Mapping[str, Any], project: str, region: str) -> Mapping[str, Any]:
    location = str(args.get("location") or region)
    _needed("location", location)
    prefix = str(args.get("versionPrefix") or "")
    found = [version for version in VERSIONS if version.startswith(prefix)]
    latest = found[0] if found else ""
    return {
        "id": location,
        "project": project,
        "location": location,
        "versionPrefix": prefix,
        "defaultClusterVersion": VERSIONS[0],
        "latestMasterVersion": latest,
        "latestNodeVersion": latest,
        "validMasterVersions": found,
        "validNodeVersions": found,
        "releaseChannelDefaultVersion": dict.fromkeys(("RAPID", "REGULAR", "STABLE", "EXTENDED"), VERSIONS[0]),
        "releaseChannelLatestVersion": dict.fromkeys(("RAPID", "REGULAR", "STABLE", "EXTENDED"), VERSIONS[0]),
        "releaseChannelUpgradeTargetVersion": dict.fromkeys(("RAPID", "REGULAR", "STABLE", "EXTENDED"), VERSIONS[0]),
    }


def instance_group(args: Mapping[str, Any], ledger: Ledger) -> Mapping[str, Any]:
    """A zone's group of a node pool, or its manager: the machines that exist, and those that shall."""
    project, zone, name = (str(args.get(key) or "") for key in ("project", "zone", "name"))
    link = f"{LINKS}projects/{project}/zones/{zone}/instanceGroups/{name}"
    found = ledger.mentioning({NODE_POOL}, link.removeprefix(LINKS))
    pool = next((it for it in found if link in it.outputs[_GROUPS]), None)
    if pool is None:
        raise CloudError(f"projects/{project}/zones/{zone}/instanceGroups/{name} not found")
    zones, each = len(items(pool.outputs[_GROUPS])), int(pool.outputs.get("nodeCount") or 0)
    size = pool.started(each * zones) // zones
    return {
        "id": link.removeprefix(LINKS),
        "selfLink": link,
        "project": project,
        "zone": zone,
        "name": name,
        "size": size,
        "instances": [f"{LINKS}projects/{project}/zones/{zone}/instances/{name[:-4]}-{at}" for at in range(size)],
        "instanceGroup": link,
        "targetSize": each,
    }


def _needed(name: str, value: str) -> None:
    if not value:
        where = "region" if name == "location" else name
        message = f"{name}: required field is not set; set `gcp:{where}` in the stack's file"
        raise SettingError(message, f"gcp:{where}", EXAMPLES[where])
