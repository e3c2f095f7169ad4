"""An H100 training cluster on Azure Kubernetes Service."""
