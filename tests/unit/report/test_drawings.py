"""Names beside points: the first free place counts, and what hides the least if none is free."""

import pytest

from celab.report.html.drawings import Box, named_points

SIZE = 10
ROOMY = Box(-500, -500, 1000, 1000)
# Where the name "A" of a point at (0, 0) may be, nearest first: left and top of its box, which is
# 6 wide, and the end of the line to it. Beside each, the middle of a point that touches the box.
PLACES = [
    ((7, -5), None, (18, 0)),
    ((-13, -5), None, (-18, 0)),
    ((-3, -17), None, (0, -22)),
    ((-3, 7), None, (0, 22)),
    ((9.8, -19), [9.8, -9], (20.8, -24)),
    ((-15.8, -19), [-9.8, -9], (-20.8, -24)),
    ((9.8, 9), [9.8, 9], (20.8, 24)),
    ((-15.8, 9), [-9.8, 9], (-20.8, 24)),
    ((24, -5), [24, 0], None),
]


def draw_name(others, frame=ROOMY, name="A"):
    """Return how the name of a point at (0, 0) is drawn if the others are there, too."""
    points = [(name, 0, 0), *(("", x, y) for x, y in others)]
    return named_points(points, frame, SIZE)[0]


def place_of(drawn):
    return drawn["text_x"], round(drawn["text_y"] - 0.82 * SIZE, 2)


def moved(place, distance):
    """Return a place nearer to (0, 0) in each direction."""
    return tuple(at - distance * ((at > 0) - (at < 0)) for at in place)


@pytest.mark.parametrize("n_taken", range(len(PLACES)))
def test_a_name_is_at_the_first_place_that_is_free(n_taken):
    place, leader, _ = PLACES[n_taken]
    drawn = draw_name([moved(touching, 0.1) for _, _, touching in PLACES[:n_taken]])
    assert (place_of(drawn), drawn["leader"], drawn["crowded"]) == (place, leader, False)


INSIDE = [(2, 0), (-2, 0), (0, -2), (0, 2)]  # points that touch the first four from inside


@pytest.mark.parametrize(
    "touching", [*(touching for *_, touching in PLACES[:2]), (10, -10), *INSIDE]
)
def test_a_point_that_only_touches_a_place_leaves_it_free(touching):
    assert place_of(draw_name([touching])) == PLACES[0][0]


def test_a_name_that_is_not_beside_its_point_has_a_line():
    inside = [moved(touching, -0.2) for touching in INSIDE]
    (drawn, *_) = named_points([("A", 1 / 7, 1 / 7), *(("", *at) for at in inside)], ROOMY, SIZE)
    assert (drawn["text_x"], drawn["text_y"]) == (14.14, 3.34)
    assert drawn["leader"] == [14.14, 0.14]


def test_names_keep_off_names():
    drawn = named_points([("AB", 0, 0), ("译文", 0, 6), ("C", 100, 0)], ROOMY, SIZE)
    assert [place_of(name) for name in drawn] == [(7, -5), (-27, 1), (107, -5)]


@pytest.mark.parametrize(("letter", "width"), [("\u2e7f", 6), ("\u2e80", 10)])
def test_chinese_letters_are_wider(letter, width):
    assert place_of(draw_name([(17, 0)], name=letter)) == (-7 - width, -5)


@pytest.mark.parametrize(("right", "place"), [(13, (7, -5)), (12.9, (-3, -17))])
def test_a_name_keeps_inside_the_frame(right, place):
    drawn = draw_name([], Box(-12.9, -100, right + 12.9, 200))
    assert (place_of(drawn), drawn["crowded"]) == (place, False)


@pytest.mark.parametrize(("hidden", "place"), [(0.05, (7, -5)), (4.9, (7, -5)), (5.1, (-13, -5))])
def test_the_area_outside_the_frame_counts_ten_times(hidden, place):
    # Another point hides `hidden` of 6 on the right, and the frame cuts 0.5 of 6 on the left.
    drawn = draw_name([(18 - hidden, 0)], Box(-12.5, -5, 25.5, 10))
    assert (place_of(drawn), drawn["crowded"]) == (place, True)


@pytest.mark.parametrize("k", range(1, 7))
def test_rounding_puts_no_name_outside_the_frame(k):
    (drawn,) = named_points([("A", k / 7, k / 7)], ROOMY, SIZE)
    assert (drawn["text_x"], drawn["crowded"]) == (round(7 + k / 7, 2), False)
