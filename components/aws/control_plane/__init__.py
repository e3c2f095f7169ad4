"""The Kubernetes service of AWS, access and identities."""
