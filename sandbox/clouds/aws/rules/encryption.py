"""EKS's requirements for the encryption key of secrets.

Source: Amazon EKS API, EncryptionConfig and Provider.
"""

from __future__ import annotations

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule


@rule("aws:eks/cluster:Cluster")
def secrets_key_is_symmetric_and_here(managed: ManagedResource) -> None:
    """A symmetric encryption key, in the cluster's region; only secrets are encrypted."""
    config = mapping(managed.inputs.get("encryptionConfig"))
    if not config:
        return
    if config.get("resources") != ["secrets"]:
        raise _refused(managed, f"encryptionConfig resources must be [secrets], not {config.get('resources')}")
    arn = str(mapping(config.get("provider")).get("keyArn"))
    key = next((entry for entry in managed.others("aws:kms/key:Key", arn) if entry.outputs["arn"] == arn), None)
    account = managed.arn("kms", "key/").split(":")[4]
    if arn.split(":")[3:4] != [managed.region] or (key is None and arn.split(":")[4:5] == [account]):
        raise _refused(managed, f"The keyArn in encryptionConfig provider, {arn}, is invalid")
    if key is not None and key.outputs.get("customerMasterKeySpec", "SYMMETRIC_DEFAULT") != "SYMMETRIC_DEFAULT":
        raise _refused(managed, f"The key {arn} is not symmetric")


def _refused(managed: ManagedResource, message: str) -> Exception:
    return refused(managed, "EKS: CreateCluster", 400, "InvalidParameterException", message)
