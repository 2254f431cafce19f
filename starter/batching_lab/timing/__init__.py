"""Times by the clock, without a model: when tokens came, and what a tick costs in milliseconds."""
