"""Software and objects inside every cluster, on any cloud."""
