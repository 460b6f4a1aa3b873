"""What chance decides, and how far it goes: each bound is passed less than once in 10^9 tests.

Samples are events of a Poisson process (runtime/sampling/random_events.h): those of some CPU time have a Poisson
distribution, and those of a part of it, out of a known number, a binomial one. Both are summed up here, since small
numbers are not normal so far out. Where ticks stand for several samples, NEVER standard deviations are used.
"""
import math

RISK = 1e-9
# Of a normal distribution, to both sides.
NEVER = 6.2


def bounds(probabilities):
    """The first and the last number that is not ruled out, by the probabilities of 0, 1, 2, ..."""
    low = number = 0
    below = 0.0
    for number, probability in enumerate(probabilities):
        below += probability
        if below <= RISK / 2:
            low = number + 1
        if below >= 1 - RISK / 2:
            break
    return low, number


def poisson_bounds(least, most=None):
    """Of a number whose mean is between these."""
    def probabilities(mean):
        for number in range(int(mean + 12 * math.sqrt(mean) + 40)):
            yield math.exp(number * math.log(mean) - mean - math.lgamma(number + 1))

    return bounds(probabilities(least))[0], bounds(probabilities(least if most is None else most))[1]


def binomial_bounds(number, share):
    """Of how many out of `number` belong to a part that each belongs to with the probability `share`."""
    def probability(part):
        ways = math.lgamma(number + 1) - math.lgamma(part + 1) - math.lgamma(number - part + 1)
        return math.exp(ways + part * math.log(share) + (number - part) * math.log(1 - share))

    return bounds(probability(part) for part in range(number + 1))
