"""The Python verbs, as the binary starts them: ``python -P -m knee VERB WORDS...``."""

import sys

from knee.cli import main

sys.exit(main())
