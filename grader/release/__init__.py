"""The student repository: building it, renewing it, and searching it for what students must not see."""
