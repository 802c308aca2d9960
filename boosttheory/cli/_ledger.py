"""The option of the commands that read claims."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import Any

import click


def _importable(context: click.Context, option: click.Parameter, package: str) -> str:
    """Look for a ledger that is not installed in the working folder."""
    try:
        found = find_spec(package)
    except (ImportError, ValueError):
        found = None
    if found is None:
        if not os.path.isdir(package.replace(".", os.sep)):
            raise ValueError(f"ledger {package!r} is no package, installed or in this folder; name one")
        sys.path.insert(0, os.getcwd())
    return package


def ledger_option(command: Any) -> Any:
    """Add ``--ledger``."""
    return click.option(
        "--ledger",
        default="proofs_checks",
        show_default=True,
        callback=_importable,
        help="Package that holds the claims, installed or in this folder.",
    )(command)
