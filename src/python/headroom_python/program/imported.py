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
        asks = False

        def find_spec(self, wanted, path=None, target=None):
            if wanted != name or self.asks:
                return None
            self.asks = True
            try:
                spec = importlib.util.find_spec(wanted)
            finally:
                self.asks = False
            if spec is None or spec.loader is None or not hasattr(spec.loader, "exec_module"):
                return spec
            load = spec.loader.exec_module

            def loaded(module):
                # Not before: libraries also ask for a spec only to know whether a package is there.
                load(module)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)
                    change(module)

            spec.loader.exec_module = loaded
            return spec

    sys.meta_path.insert(0, Finder())
