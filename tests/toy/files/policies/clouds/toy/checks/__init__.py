"""The toy cloud's check of each rule."""
