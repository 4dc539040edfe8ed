"""First lines of `python -c`: start knee's Python part, or say in knee's words why that cannot be. See `python.rs`.

Interpreters that are too old have to read it as well.
"""

import signal
import sys

MESSAGE, HINT = sys.argv[1:3]
sys.argv[:3] = ["knee"]


def missing(reason: str) -> None:
    """Say why and end."""
    sys.stderr.write(f"knee: {MESSAGE}: {reason}\n\nhint: {HINT}\n")
    sys.exit(2)


if sys.version_info < (3, 11):  # noqa: UP036 -- to say so is what this is for
    missing("it is older than Python 3.11")
# Nothing in the user's folder is imported as ours. `-P` would do, but makes an old Python speak for itself.
if not sys.flags.safe_path:
    del sys.path[0]
try:
    from knee.cli import main

    # It was held back while Python started, which would have shown a traceback.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
except ModuleNotFoundError as error:
    missing(f"it has no package {(error.name or 'knee').partition('.')[0]}")
except KeyboardInterrupt:
    sys.exit(130)
sys.exit(main())
