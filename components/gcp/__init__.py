"""An H100 training cluster on Google Kubernetes Engine."""
