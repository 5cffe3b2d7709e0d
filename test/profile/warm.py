"""A Python that has imported what dry runs need, and forks one process for each: importing takes longer than a dry run.

    python warm.py serve SOCKET START MODULE…   # ends when its standard input is closed
    HEADROOM_WARM=SOCKET python warm.py         # in place of `python start.py`: a fork of the server does what that would

The forked process has the client's folder, environment, input and outputs, and runs `main` of START. CC0.
"""

import json
import os
import socket
import sys


def serve(path, start, modules):
    import importlib
    import select
    import signal

    # The folder of the script that is run, as Python itself has it there.
    sys.path[0] = os.path.dirname(start)
    before = dict(os.environ)
    for module in modules:
        try:
            importlib.import_module(module)
        except ModuleNotFoundError:  # of newer releases of torch
            continue
    # Modules set some when they are imported, which forked processes have to have.
    variables = {name: value for name, value in os.environ.items() if before.get(name) != value}
    # Nobody waits for the forked processes: the kernel removes them.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print("ready", flush=True)
    while True:
        readable, _, _ = select.select([listener, 0], [], [])
        if 0 in readable and not os.read(0, 4096):
            return
        if listener in readable:
            client, _ = listener.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listener.close()
                answer(client, start, variables)
            client.close()


def answer(client, start, variables):
    """Does in this process what `python start.py` would, and tells the client its exit code."""
    import importlib.util

    message, files, _, _ = socket.recv_fds(client, 1 << 20, 3)
    asked = json.loads(message)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update({**asked["environment"], **variables})
    os.chdir(asked["folder"])
    sys.argv = [start]
    spec = importlib.util.spec_from_file_location("start", start)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    code = module.main()
    sys.stdout.flush()
    sys.stderr.flush()
    client.send(bytes([code]))
    os._exit(code)


def ask(path):
    server = socket.socket(socket.AF_UNIX)
    server.connect(path)
    asked = {"folder": os.getcwd(), "environment": dict(os.environ)}
    socket.send_fds(server, [json.dumps(asked).encode()], [0, 1, 2])
    code = server.recv(1)
    # A process that was ended had no time to tell.
    return code[0] if code else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        sys.exit(ask(os.environ["HEADROOM_WARM"]))
