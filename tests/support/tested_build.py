"""What the build under test supports. A test that needs another build is skipped with a reason that begins with
NOT_HERE: unlike a missing tool, this cannot be installed, so scripts/test does not count it as skipped."""
import os
import unittest

NOT_HERE = "does not apply: "
# Sanitizers delay freeing memory, keep shadow memory and open file descriptors, so limits and measurements of these
# say nothing about the program.
SANITIZED = os.environ.get("GPROF_LSP_SANITIZED", "0") not in ("", "0")
# The collector's library; the build with the thread sanitizer has none.
COLLECTOR = os.environ.get("GPROF_RUNTIME_LIBRARY", "")

needs_collector = unittest.skipUnless(COLLECTOR, f"{NOT_HERE}this build has no collector")


def not_sanitized(reason):
    """For a test or a class: `reason` says why it cannot be run under a sanitizer."""
    return unittest.skipIf(SANITIZED, NOT_HERE + reason)


def skip_without_collector():
    """For setUp() and setUpClass()."""
    if not COLLECTOR:
        raise unittest.SkipTest(f"{NOT_HERE}this build has no collector")
