"""The conditions and events of a machine that its cloud reclaims, or that is broken, in each cloud's own words."""
