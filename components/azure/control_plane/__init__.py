"""The Kubernetes service of Azure, access and identities."""
