"""What papermill sets in a notebook before it runs it."""

import base64

from ..protocol import Refusal


def arguments(words):
    """What papermill's words set in a notebook (`-p NAME VALUE`, `-r NAME TEXT`, `-y YAML`, `-f FILE`), and where it runs: in the current folder."""
    given, folder, words = {}, ".", list(words)
    while words:
        word, has_value, value = words.pop(0).partition("=")
        if word in ("-p", "--parameters", "-r", "--parameters_raw") and len(words) > 1:
            name, text = words.pop(0), words.pop(0)
            given[name] = text if word in ("-r", "--parameters_raw") else _number_or_word(text)
        elif word in ("-y", "--parameters_yaml", "-f", "--parameters_file", "-b", "--parameters_base64", "--cwd") and (has_value or words):
            value = value if has_value else words.pop(0)
            if word == "--cwd":
                folder = value
            else:
                given.update(_parameters(word, value))
    return [given, folder]


def _parameters(word, value):
    try:
        import yaml

        if word in ("-f", "--parameters_file"):
            with open(value, encoding="utf-8") as file:
                value = file.read()
        if word in ("-b", "--parameters_base64"):
            value = base64.b64decode(value).decode()
        return dict(yaml.safe_load(value) or {})
    except Exception as error:
        raise Refusal("command", f"parameters of papermill cannot be read: {error}") from error


def _number_or_word(text):
    """As papermill's own `_resolve_type` (papermill/cli.py)."""
    if text in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
