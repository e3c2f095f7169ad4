"""What each rule looks at on AWS, one file per rule."""
