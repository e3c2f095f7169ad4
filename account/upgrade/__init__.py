"""What is old in a stack that stands, when its support ends, and the way up."""
