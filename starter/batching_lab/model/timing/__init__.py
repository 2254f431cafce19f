"""How fast the model runs, and what its ticks cost."""
