"""Seeds of tests that draw at random: constants, so that every run does the same, moved by the number in the
environment's GPROF_TEST_SEED, which tries others. tests/support/test_seed.h does so for C++."""
import os

MOVED = int(os.environ.get("GPROF_TEST_SEED", 0))


def moved_seed(usual):
    return usual + MOVED
