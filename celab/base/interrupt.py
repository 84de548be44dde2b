"""Ctrl-C while a command is still being imported: one line and exit code 130, and no traceback.

Imported before everything else. `celab.cli.terminal` handles signals from when the command runs; a
program that uses celab as a library keeps its own handlers.
"""

import os
import signal
import sys

_FOLDER, _NAME = os.path.split("".join(sys.argv[:1]).removesuffix(".exe"))
# The name is `-m` while `python -m celab` looks for the module to run.
IS_COMMAND = (
    _NAME in ("-m", "celab")
    or (_NAME.startswith("celab-") and not _NAME.endswith(".py"))
    or (_NAME == "__main__.py" and os.path.basename(_FOLDER) == "celab")
)


def end(number: int, _: object) -> None:
    """End the process at once: nothing has been written yet."""
    program = _NAME if _NAME.startswith("celab") else "celab"
    try:
        os.write(2, f"{program}: interrupted\n".encode())
    finally:
        os._exit(128 + number)


if IS_COMMAND and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, end)
