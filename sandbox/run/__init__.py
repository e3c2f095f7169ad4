"""One Pulumi command against the simulated clouds."""
