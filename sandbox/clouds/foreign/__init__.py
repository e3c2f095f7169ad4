"""What the sandbox answers in place of providers and data sources that it has no simulation of."""
