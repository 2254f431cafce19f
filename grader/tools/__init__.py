"""What generates files of the lab: the starter, the micro model, a figure's example."""
