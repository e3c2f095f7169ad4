"""Google Cloud: networks of the machine types, GKE node pools, labels."""
