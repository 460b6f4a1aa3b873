"""Seeds for random tests: constants, so that every run is the same, plus the number in the environment's
GPROF_TEST_SEED, to try others. tests/support/test_seed.h is the same for C++."""
import os

MOVED = int(os.environ.get("GPROF_TEST_SEED", 0))


def moved_seed(usual):
    return usual + MOVED
