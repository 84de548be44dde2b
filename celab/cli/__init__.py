"""The commands, one file each, and what they share: arguments, terminal, progress.

Nothing imports this package. A command imports what it works with when it starts to work, so that
`--help` answers at once.
"""

import os
import signal
import sys

# Where this is imported to start a command, Ctrl-C during the imports ends it without a trace.
# `terminal.run` handles signals from then on.
IS_COMMAND = sys.argv[:1] == ["-m"] or os.path.basename("".join(sys.argv[:1])).startswith("celab-")
if IS_COMMAND and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
