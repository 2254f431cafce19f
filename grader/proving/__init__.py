"""Is the grader itself right? Right, wrong and hostile submissions, mutants, repetitions, figures."""
