"""Asks an AWS account by boto3: requests that read, and nothing else."""

from gpucluster.operate.preflight.aws.account import open_account

__all__ = ["open_account"]
