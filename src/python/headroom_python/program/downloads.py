"""Data that a program downloads by an address of its own: there is no network, so it gets what a missing file of this ending has."""

import email.message
import functools
import io
import os
import urllib.parse
import urllib.response

from .imported import when_imported
from .made_up import ENDING, content


def install(notes):
    when_imported("requests", lambda module: _requests(module, notes))
    when_imported("urllib.request", lambda module: _urllib(module, notes))


def _made(address, notes):
    """None: nobody knows what is there."""
    path = urllib.parse.urlsplit(str(address)).path
    ending = ENDING.search(path)
    if ending is None:
        return None
    notes.add(f"made-up contents for {os.path.basename(path)}, which the program downloads")
    return content(ending[0].lower())


def _requests(module, notes):
    if not hasattr(module, "Response"):
        return  # a module of the project that is called the same
    really = module.get

    @functools.wraps(really)
    def get(url, *args, **kwargs):
        try:
            return really(url, *args, **kwargs)
        except module.exceptions.ConnectionError:
            data = _made(url, notes)
            if data is None:
                raise
            made = module.Response()
            made.status_code, made.url, made.encoding = 200, url, "utf-8"
            made._content, made._content_consumed = data, True
            return made

    module.get = module.api.get = get


def _urllib(module, notes):
    really = module.urlopen

    @functools.wraps(really)
    def urlopen(url, *args, **kwargs):
        try:
            return really(url, *args, **kwargs)
        except OSError:
            address = getattr(url, "full_url", url)
            data = _made(address, notes)
            if data is None:
                raise
            return urllib.response.addinfourl(io.BytesIO(data), email.message.Message(), address, 200)

    module.urlopen = urlopen  # which urlretrieve calls, too
