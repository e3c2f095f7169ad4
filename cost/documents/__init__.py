"""What each answer says: its document for people, its model for machines. How it is written is in `cost.render`."""
