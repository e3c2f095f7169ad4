"""What EKS asks of the key that secrets are encrypted with.

Source: Amazon EKS API, EncryptionConfig and Provider.
"""

from __future__ import annotations

from gpucluster.sandbox.clouds.aws.model import Thing
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule
from gpucluster.sandbox.type_guards import mapping

__all__: list[str] = []


@rule("aws:eks/cluster:Cluster")
def secrets_key_is_symmetric_and_here(thing: Thing) -> None:
    """A symmetric key for encryption, in the cluster's region; what is encrypted is secrets."""
    config = mapping(thing.inputs.get("encryptionConfig"))
    if not config:
        return
    if config.get("resources") != ["secrets"]:
        raise _refused(thing, f"encryptionConfig resources must be [secrets], not {config.get('resources')}")
    arn = str(mapping(config.get("provider")).get("keyArn"))
    key = next((entry for entry in thing.others("aws:kms/key:Key", arn) if entry.outputs["arn"] == arn), None)
    account = thing.arn("kms", "key/").split(":")[4]
    if arn.split(":")[3:4] != [thing.region] or (key is None and arn.split(":")[4:5] == [account]):
        raise _refused(thing, f"The keyArn in encryptionConfig provider, {arn}, is invalid")
    if key is not None and key.outputs.get("customerMasterKeySpec", "SYMMETRIC_DEFAULT") != "SYMMETRIC_DEFAULT":
        raise _refused(thing, f"The key {arn} is not symmetric")


def _refused(thing: Thing, message: str) -> Exception:
    return refused(thing, "EKS: CreateCluster", 400, "InvalidParameterException", message)
