"""The students' repositories: collect them, grade the class, comment, unpack them, propose updates to them."""
