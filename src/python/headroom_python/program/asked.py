"""What a program asks of the person who starts it."""

import argparse
import builtins
import re

# Arguments that say where something is or what a run is called: any word will do.
WORDS = re.compile(r"dir|path|root|folder|out|save|log|exp|name|tag|project|run|ckpt|checkpoint|data|file|csv|json|config_?name", re.IGNORECASE)


def install(notes):
    def asked(prompt=""):
        notes.add("an empty line for input()")
        return ""

    builtins.input = asked
    builtins.breakpoint = lambda *args, **kwargs: None
    parse = argparse.ArgumentParser.parse_known_args

    def parsed(self, args=None, namespace=None):
        supplied = [action for action in self._actions if _is_word(action)]
        for action in supplied:
            action.required, action.default = False, _Supplied(f"headroom-{action.dest}")
            if not action.option_strings:
                action.nargs = "?"
        known, rest = parse(self, args, namespace)
        for action in supplied:
            value = getattr(known, action.dest, None)
            if isinstance(value, _Supplied):
                setattr(known, action.dest, str(value))
                notes.add(f"a made-up word for {(action.option_strings or [action.dest])[-1]}, which is required")
        return known, rest

    argparse.ArgumentParser.parse_known_args = parsed


class _Supplied(str):
    pass


def _is_word(action):
    is_plain = type(action) is argparse._StoreAction and action.nargs is None and not action.choices
    return is_plain and action.required and action.type in (None, str) and action.default is None and WORDS.search(action.dest) is not None
