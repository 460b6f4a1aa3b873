"""What the build under test has. A test that another build needs is skipped with a reason that begins with
NOT_HERE: unlike a missing tool, nobody can install what it lacks, and scripts/test counts it apart."""
import os
import unittest

NOT_HERE = "does not apply: "
# A sanitizer keeps and shadows freed memory, and needs descriptors and memory of its own.
SANITIZED = os.environ.get("GPROF_LSP_SANITIZED", "0") not in ("", "0")
# The collector's library. Sanitizers other than the address sanitizer build none.
COLLECTOR = os.environ.get("GPROF_RUNTIME_LIBRARY", "")

needs_collector = unittest.skipUnless(COLLECTOR, f"{NOT_HERE}this build has no collector")


def not_sanitized(reason):
    """For a test or a class: `reason` says why it cannot be run under a sanitizer."""
    return unittest.skipIf(SANITIZED, NOT_HERE + reason)


def skip_without_collector():
    """For setUp() and setUpClass()."""
    if not COLLECTOR:
        raise unittest.SkipTest(f"{NOT_HERE}this build has no collector")
