"""What a pull request changes in plan, cost and rules: previewed in the sandbox, judged, and written as one comment."""
