"""What is shown of a run: tables, timelines, sweeps."""
