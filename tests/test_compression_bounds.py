"""Compression schemes on tiny domains and the probability that one misleads."""

from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory import bounds
from boosttheory.compression_bounds import find_scheme, misled, region_errors, support_law

F = Fraction


def test_the_law_of_the_support_is_that_of_all_samples():
    weights = [F(1, 2), F(1, 3), F(1, 6)]
    law = [F(0)] * 8
    for sample in product(range(3), repeat=4):
        law[sum(1 << z for z in set(sample))] += np.prod([weights[z] for z in sample])
    assert support_law(weights, 4) == law


def test_the_full_class_on_two_points_is_compressed_to_one_example():
    # (x, y) has the number 2x + y; the functions on two points with two labels
    functions = [1 << f | 1 << (2 + g) for f, g in product(range(2), repeat=2)]
    samples = [(f, 2 + g) for f, g in product(range(2), repeat=2)] + [(z, z) for z in range(4)]
    scheme = find_scheme(samples, functions, 1)
    assert scheme is not None
    for sample in samples:
        mask = sum(1 << z for z in set(sample))
        assert any((z,) in scheme and not mask & ~functions[scheme[z,]] for z in sample)
    assert find_scheme([*samples, (0, 1)], functions, 1) is None
    assert find_scheme(samples, functions, 0) is None


def test_one_function_needs_no_example():
    assert find_scheme([(0, 1), (0, 0)], [0b11], 0) == {(): 0}


@settings(derandomize=True, deadline=None, max_examples=40)
@given(st.data())
def test_misled_samples_are_those_of_the_definition(data):
    count, r = 3, data.draw(st.integers(1, 2))
    keys = list(product(range(count), repeat=r))
    regions = {key: data.draw(st.integers(0, 7)) for key in keys}
    weights = [F(1, 3)] * 3
    errors, level = region_errors(weights, regions), data.draw(st.sampled_from([F(1, 3), F(2, 3)]))
    found = misled(range(8), regions, errors, level)
    for mask in range(1, 8):
        members = [z for z in range(count) if mask >> z & 1]
        expected = any(
            errors[key] >= level and all(regions[key] >> z & 1 for z in members)
            for key in product(members, repeat=r)
        )
        assert found[mask] == expected
    for m in (3, 4):
        chance = sum(p for p, hit in zip(support_law(weights, m), found, strict=True) if hit)
        assert chance <= bounds.compression_failure.exact(r=r, m=m, eps=level)
