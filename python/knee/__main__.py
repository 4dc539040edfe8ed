"""The Python verbs without the binary in front: ``python -m knee VERB ARGUMENTS...``."""

import sys

from knee.cli import main

sys.exit(main())
