"""Links between a file system and a bucket.

Sources: Amazon FSx API, CreateDataRepositoryAssociation; FSx for Lustre user guide, "Linking your file system to an
Amazon S3 bucket".
"""

from __future__ import annotations

from typing import Final

from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule

_ASSOCIATION: Final = "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation"
_LUSTRE: Final = "aws:fsx/lustreFileSystem:LustreFileSystem"
_MOST: Final = 8
"""Maximum associations of one file system."""


@rule(_ASSOCIATION)
def file_system_exists(managed: ManagedResource) -> None:
    """The file system exists, and its type supports associations: SCRATCH_1 does not."""
    id_ = managed.inputs["fileSystemId"]
    found = managed.other(_LUSTRE, id_)
    if found is None:
        raise _refused(managed, "FileSystemNotFound", f"File system '{id_}' does not exist.", status=404)
    if (found.inputs.get("deploymentType") or "SCRATCH_1") == "SCRATCH_1":
        raise _refused(managed, "BadRequest", "Data repository associations are not supported for SCRATCH_1")


@rule(_ASSOCIATION)
def repository_is_a_bucket(managed: ManagedResource) -> None:
    """The repository is an S3 bucket or a prefix in one."""
    path = str(managed.inputs["dataRepositoryPath"])
    if not path.startswith("s3://") or not 3 <= len(path) <= 900:
        raise _refused(managed, "BadRequest", f"DataRepositoryPath {path!r} must begin with s3://")


@rule(_ASSOCIATION)
def paths_do_not_overlap(managed: ManagedResource) -> None:
    """Two associations of one file system share no directory and no prefix, and there are at most eight."""
    file_system = managed.inputs["fileSystemId"]
    others = [
        entry for entry in managed.others(_ASSOCIATION, file_system) if entry.inputs.get("fileSystemId") == file_system
    ]
    if len(others) >= _MOST:
        raise _refused(
            managed, "ServiceLimitExceeded", f"A file system has at most {_MOST} data repository associations"
        )
    for entry in others:
        for key, words in (("fileSystemPath", "FileSystemPath"), ("dataRepositoryPath", "DataRepositoryPath")):
            mine, theirs = (f"{str(path).rstrip('/')}/" for path in (managed.inputs[key], entry.inputs[key]))
            if mine.startswith(theirs) or theirs.startswith(mine):
                raise _refused(
                    managed, "BadRequest", f"{words} {managed.inputs[key]} overlaps with {entry.inputs[key]}"
                )


def _refused(managed: ManagedResource, code: str, message: str, status: int = 400) -> Exception:
    return refused(managed, "FSx: CreateDataRepositoryAssociation", status, code, message)
