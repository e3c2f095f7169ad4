"""Asks a Google Cloud project, by the SDK with its bundled discovery documents."""

from gpucluster.operate.preflight.gcp.account import open_account

__all__ = ["open_account"]
