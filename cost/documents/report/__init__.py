"""What a plan or state costs."""
