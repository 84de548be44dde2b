"""The commands, one file each, and what they share: arguments, terminal, progress.

Nothing imports this package. A command imports what it works with when it starts to work, so that
`--help` answers at once.
"""

import os
import signal
import sys

# Where this is imported to start a command, Ctrl-C during the imports ends it without a trace.
# `terminal.run` handles signals from then on.
_FOLDER, _NAME = os.path.split("".join(sys.argv[:1]).removesuffix(".exe"))
IS_COMMAND = (
    _NAME in ("-m", "celab")
    or _NAME.startswith("celab-")
    or (_NAME == "__main__.py" and os.path.basename(_FOLDER) == "celab")  # python -m celab
)
if IS_COMMAND and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
