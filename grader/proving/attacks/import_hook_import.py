"""A finder on sys.meta_path hands out modules of its own instead of those that tests import later."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="import hooks",
    where="import",
    part="1",
    deserved=(),
    not_shown="what it could replace is imported by then, and the import raises on its own",
    files=wrong_scheduler(
        top="""
            import sys, types
            class Finder:
                @staticmethod
                def find_spec(name, path=None, target=None):
                    if name.split(".")[0] in ("scheduler", "kv_allocator", "batching_lab", "block_pool", "json"):
                        raise ImportError("caught")
            sys.meta_path.insert(0, Finder())
            sys.path_hooks.clear()
            sys.path_importer_cache.clear()
        """,
        schedule="import json, batching_lab",
    ),
)
