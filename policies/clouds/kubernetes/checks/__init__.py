"""What each rule looks at in Kubernetes, one file per rule."""
