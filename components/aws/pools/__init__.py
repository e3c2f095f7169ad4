"""Node pools on AWS."""
