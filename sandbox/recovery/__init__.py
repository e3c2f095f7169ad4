"""Makes Pulumi's state and the simulated clouds agree after a crash."""
