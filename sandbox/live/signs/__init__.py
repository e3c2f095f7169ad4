"""What a cluster shows of a machine that its cloud takes back, or that is broken, in each cloud's own words."""
