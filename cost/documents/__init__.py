"""The content of each answer: a document for people, a model for machines. `cost.render` formats it."""
