"""Hydra without the plugins that only color its log: its own configs of logging stand in."""

import re

from .imported import when_imported

LOGGING = re.compile(r"^hydra/(job|hydra)_logging/")


def install(notes):
    when_imported("hydra._internal.config_repository", lambda module: _repository(module, notes))


def _repository(module, notes):
    Repository = module.ConfigRepository
    find = Repository._find_object_source

    def instead(self, path, kind=module.ObjectType.CONFIG):
        match = LOGGING.match(path)
        if match is None or kind != module.ObjectType.CONFIG or find(self, path, kind) is not None:
            return path
        notes.add("the plain log of Hydra, whose plugin for colors this Python lacks")
        return f"{match[0]}default"

    load, exists = Repository.load_config, Repository.config_exists
    Repository.load_config = lambda self, config_path: load(self, instead(self, config_path))
    Repository.config_exists = lambda self, config_path: exists(self, instead(self, config_path))
