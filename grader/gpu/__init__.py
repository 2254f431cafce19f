"""The GPU stage: a submission's scheduler, in its worker, drives a real model on CUDA and is timed (see README.md)."""
