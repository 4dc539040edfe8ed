"""Sets how long a Python thread keeps the interpreter lock while others wait; then runs the module that this one hides.

Python imports it at its start, because the remedy puts its folder first in PYTHONPATH.
"""

import importlib.machinery
import importlib.util
import sys
from pathlib import Path

TURN_S = 0.1

sys.setswitchinterval(TURN_S)
own = Path(__file__).resolve().parent
others = [path for path in sys.path if Path(path).resolve() != own]
hidden = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
if hidden is not None and hidden.loader is not None:
    hidden.loader.exec_module(importlib.util.module_from_spec(hidden))
