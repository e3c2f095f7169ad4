"""The sandbox's substitutes for providers and data sources without a simulation."""
