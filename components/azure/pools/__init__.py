"""Node pools on Azure."""
