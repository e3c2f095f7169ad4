"""A judgement as text: the comment, and the complete text for a job summary."""
