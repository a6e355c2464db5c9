"""Statistics of success counts."""


def wilson_interval(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the Wilson score interval of a proportion (Wilson 1927), both ends in 0..1.

    With no trials nothing is known: (0, 1).
    """
    if trials == 0:
        return 0.0, 1.0
    # scipy.stats takes most of a second to import; a run needs it once, at its end.
    from scipy.stats import binomtest

    interval = binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    return float(interval.low), float(interval.high)
