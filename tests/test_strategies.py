from hypothesis import given, settings

from boosttheory.strategies import patterns


@settings(derandomize=True, deadline=None)
@given(patterns([(2, 3, 1), (4, 2, 3)]))
def test_drawn_classes_are_distinct_sorted_patterns_of_their_box(drawn):
    n_labels, k, rows = drawn
    n_points, size = {2: (3, 1), 4: (2, 3)}[n_labels]
    assert k == size
    assert rows
    assert list(rows) == sorted(set(rows))
    assert all(len(row) == n_points and set(row) <= set(range(n_labels)) for row in rows)
