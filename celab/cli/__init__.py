"""The commands, one file each, and what they share: arguments, terminal, progress.

Nothing imports this package but its own modules. A module imports at its top what `celab score`
loads anyway; what only some commands, formats or options need is imported in the function that
needs it.
"""

import os

# A command starts its own threads (`--jobs`). Those that a BLAS starts when NumPy is loaded would
# only wait, in a loop, for a fifth of the time that scoring a small file takes. This package is
# imported before any module that loads NumPy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
