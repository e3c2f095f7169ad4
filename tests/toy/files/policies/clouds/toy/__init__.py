"""What the rules know of the toy cloud."""
