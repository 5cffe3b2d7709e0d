"""Where Headroom enters the user's Python: one request as a line of JSON on stdin, answers as JSON lines on stdout.

    python start.py < request.json

Requests name a `task`; docs/profile.md and docs/embed.md describe them. Whatever the user's own code prints goes to stderr.
"""

import json
import sys

from headroom_python.protocol import Channel, Refusal

PROTOCOL = 1


def task_of(name):
    """Modules are loaded when they are needed: only some of them need torch."""
    if name == "versions":
        from headroom_python.environment import tell_versions

        return tell_versions
    if name == "dry run":
        from headroom_python.dry_run import dry_run

        return dry_run
    if name == "probe":
        from headroom_python.probe import probe

        return probe
    if name == "embed":
        from headroom_python.embed import embed

        return embed
    raise Refusal("protocol", f"there is no task {name!r} in this version of Headroom's scripts")


def main():
    channel = Channel()
    try:
        request = json.loads(sys.stdin.readline())
        if request.get("protocol") != PROTOCOL:
            raise Refusal("protocol", "the request is of another version of Headroom")
        task_of(request["task"])(request, channel)
    except Refusal as refusal:
        channel.say("refused", **refusal.fields())
        return 2
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # the user's own code may raise anything
        channel.failed(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
