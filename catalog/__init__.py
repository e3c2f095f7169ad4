"""Facts about what clouds sell and what their resource types do: each once, with its source. Imports nothing of the
rest of the project.
"""
