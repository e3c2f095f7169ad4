"""What each rule looks at on Google Cloud, one file per rule."""
