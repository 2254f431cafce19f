"""Is a run of the model right? What its blocks held, its logits, and what a fault does to the text."""
