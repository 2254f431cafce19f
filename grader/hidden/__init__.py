"""The hidden tests, one file a part, and what they compare with: the rules a second time, and seeded workloads."""
