"""From a checkpoint's files to a model and its tokenizer."""
