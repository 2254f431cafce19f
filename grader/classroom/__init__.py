"""What the workflow grade-class.yml does, a step a file: collect, grade, comment."""
