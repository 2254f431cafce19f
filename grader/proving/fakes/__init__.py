"""Stand-ins for what the tests can not have: GitHub, a student, a runner, forms of other systems."""
