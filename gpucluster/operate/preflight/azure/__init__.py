"""Questions to an Azure subscription, by Microsoft's own SDK."""

from gpucluster.operate.preflight.azure.account import open_account

__all__ = ["open_account"]
