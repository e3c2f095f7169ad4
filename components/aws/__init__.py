"""An H100 training cluster on Amazon EKS."""
