"""Jobs: queues, admission rules, controllers, images."""
