"""What each rule looks at on Azure, one file per rule."""
