"""The figures: schedulers, gradings and the model timed beside others; what only a GPU can show."""
