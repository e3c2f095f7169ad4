"""The Kubernetes service of Google Cloud, access and identities."""
