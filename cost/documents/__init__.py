"""The content of each answer: a document for users, a model for machines. `cost.render` formats it."""
