"""Staff only: grading, the GPU stage, the release, exports, class runs, and what proves the grader right."""
