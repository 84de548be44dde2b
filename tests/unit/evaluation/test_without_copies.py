import numpy as np
from generated_texts import campaign

from celab import Campaign
from celab.evaluation.references.without_copies import RankWithoutCopies, rank_without_copies


def copied(n_copies, system="A"):
    ref, systems = campaign(100)
    ref[:n_copies] = systems[system][:n_copies]
    return Campaign.from_lists(systems, ref).score("chrf")


def test_the_rank_of_a_copied_system_is_that_of_other_segments():
    independent = copied(0).scores["chrf"]
    worst = min(independent, key=lambda name: independent[name].score)
    made = copied(40, worst)
    found = rank_without_copies(made.scores["chrf"], made.outputs.noticed, made.outputs.n_segments)
    rest = np.arange(40, 100)
    left = {name: score.of_segments(rest) for name, score in made.scores["chrf"].items()}
    order = sorted(left, key=left.__getitem__, reverse=True)
    assert found == RankWithoutCopies(worst, 40, 100, 1, order.index(worst) + 1)
    assert found.rank_without > 1
    assert found.sentence == (
        f"40 of 100 references are copies or close edits of outputs of {worst}; without them it has"
        f" rank {found.rank_without} instead of 1."
    )


def test_there_is_nothing_to_say_of_independent_references():
    made = copied(0)
    assert (
        rank_without_copies(made.scores["chrf"], made.outputs.noticed, made.outputs.n_segments)
        is None
    )


def test_a_rank_that_stays_and_no_segment_that_is_left():
    same = RankWithoutCopies("A", 5, 9, 2, 2)
    assert str(same.sentence).endswith("outputs of A; without them it keeps rank 2.")
    assert str(RankWithoutCopies("A", 9, 9, 1, None).sentence).endswith("outputs of A.")
