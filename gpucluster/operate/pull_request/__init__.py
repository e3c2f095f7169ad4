"""The effect of a pull request on plan, cost and rules: previewed in the sandbox, judged, and written as one
comment.
"""
