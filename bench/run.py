"""All questions, one after another; `results/all.json` holds the answers together.

Exit code 1 if an answer was wrong. A missed aim is reported, but is no error: times are noisy.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

from measure import HERE, RESULTS

QUESTIONS = ("startup", "speed", "agreement", "length")


def main() -> int:
    began = time.monotonic()
    wrong = []
    results = [RESULTS / f"{question}.json" for question in QUESTIONS]
    for old in results:
        old.unlink(missing_ok=True)
    for question in QUESTIONS:
        print(f"\n──── {question} ────\n", flush=True)
        if subprocess.run([sys.executable, str(HERE / f"{question}.py")]).returncode:
            wrong.append(question)
    found = [json.loads(path.read_text(encoding="utf-8")) for path in results if path.exists()]
    text = json.dumps({"failed": wrong, "questions": found}, ensure_ascii=False, indent=1)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "all.json").write_text(text + "\n", encoding="utf-8")
    print(f"\nall in bench/results/all.json, after {time.monotonic() - began:.0f} s")
    if wrong:
        print(f"FAILED: {', '.join(wrong)}", file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
