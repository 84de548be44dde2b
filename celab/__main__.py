"""`python -m celab` is the command `celab`."""

import sys

from celab.cli.main import main

sys.exit(main())
