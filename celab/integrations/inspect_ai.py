"""A scorer for Inspect (`inspect_ai`): TESLA-CELAB, with the alignment as the explanation.

Task(dataset=…, solver=generate(), scorer=celab(lang="zh"))
"""

from __future__ import annotations

from celab.metrics.factory import make_metric

try:
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import TaskState
except ImportError as error:
    raise ImportError(
        "celab.integrations.inspect_ai needs Inspect: pip install inspect_ai"
    ) from error


@scorer(metrics=[mean(), stderr()])  # type: ignore[untyped-decorator]
def celab(lang: str = "zh", recommended: bool = False, **options: object) -> Scorer:
    """Score completions against their targets, which are the references.

    Parameters:
        lang: target language.
        recommended: use the recommended settings of the language (`celab.recommended`).
        options: options of `celab.TeslaCelab`, such as `lexicon`.
    """
    metric = make_metric("celab-recommended" if recommended else "celab", lang=lang, **options)

    async def score(state: TaskState, target: Target) -> Score:
        hyp, refs = state.output.completion, list(target)
        result = metric.sentence_score(hyp, refs)
        figures = {"precision": result.precision, "recall": result.recall}
        text = (
            str(metric.scorer([[ref] for ref in refs]).explain(hyp, refs))
            if metric.explained_by
            else str(result)
        )
        return Score(
            value=result.score,
            answer=hyp,
            explanation=text,
            metadata={**figures, "signature": str(metric.signature)},
        )

    return score
