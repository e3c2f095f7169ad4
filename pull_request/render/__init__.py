"""A judgement in words: the comment, and the same in full for a job summary."""
