"""Where Headroom enters the user's Python: one request as a line of JSON on stdin, answers as JSON lines on stdout.

    python start.py                # ends when its standard input is closed, so that it never outlives its parent
    python start.py request.json   # a job, which may outlive its parent

Requests name a `task`; docs/profile.md and docs/embed.md describe them. All output of the user's code goes to stderr.
"""

import json
import os
import sys

from headroom_python.alone import end_with_starter, line_from_starter
from headroom_python.protocol import Channel, Refusal

PROTOCOL = 1
LEAST_PYTHON = (3, 9)
SCRIPT = os.path.abspath(__file__)


def task_of(name):
    """Imports modules on demand, because only some of them need torch."""
    if name == "versions":
        from headroom_python.environment import tell_versions

        return tell_versions
    if name == "dry run":
        from headroom_python.dry_run import dry_run

        return dry_run
    if name == "program":
        from headroom_python.program.run import run_program

        return run_program
    if name == "program job":
        from headroom_python.program.job import run_job

        return run_job
    if name == "probe":
        from headroom_python.probe import probe

        return probe
    if name == "calibrate":
        from headroom_python.calibrate import calibrate

        return calibrate
    if name == "embed":
        from headroom_python.embed import embed

        return embed
    if name == "embed part":
        from headroom_python.embed_part import embed_part

        return embed_part
    if name == "search":
        from headroom_python.search import search

        return search
    raise Refusal("protocol", f"there is no task {name!r} in this version of Headroom's scripts")


def request_of(arguments):
    if arguments:
        # Its paths are relative to its own folder.
        os.chdir(os.path.dirname(os.path.abspath(arguments[0])))
        with open(os.path.basename(arguments[0]), encoding="utf-8") as file:
            return {**json.load(file), "script": SCRIPT}
    request = json.loads(line_from_starter())
    if request.get("task") != "embed":  # which reads on
        end_with_starter()
    return request


def main():
    channel = Channel()
    try:
        if sys.version_info < LEAST_PYTHON:
            has, needs = (".".join(map(str, one[:2])) for one in (sys.version_info, LEAST_PYTHON))
            raise Refusal("version", f"{sys.executable} is Python {has}, and this needs {needs} or newer")
        request = request_of(sys.argv[1:])
        if request.get("protocol") != PROTOCOL:
            raise Refusal("protocol", "the request is of another version of Headroom")
        task_of(request["task"])(request, channel)
    except Refusal as refusal:
        channel.say("refused", **refusal.fields())
        return 2
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # The user's code may raise anything.
        channel.failed(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
