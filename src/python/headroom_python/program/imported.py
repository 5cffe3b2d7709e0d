"""Changes to modules as soon as the program imports them; none is imported for that."""

import importlib.abc
import importlib.util
import sys


def when_imported(name, change):
    """`change(module)` now, if it is imported already, or right after it is."""
    if name in sys.modules:
        change(sys.modules[name])
        return

    class Finder(importlib.abc.MetaPathFinder):
        def find_spec(self, wanted, path=None, target=None):
            if wanted != name:
                return None
            sys.meta_path.remove(self)
            spec = importlib.util.find_spec(wanted)
            if spec is None or spec.loader is None or not hasattr(spec.loader, "exec_module"):
                return spec
            load = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (load(module), change(module))
            return spec

    sys.meta_path.insert(0, Finder())
