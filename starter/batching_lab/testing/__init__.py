"""How the public tests are run: the option --submission, the fixture `lab`, readable failures, points."""
