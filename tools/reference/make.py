"""Makes two of the files that kb/minilm is held to, from the reference tokenizer
and from ONNX Runtime on float32 weights. Run it in the environment that
bench/onnx_ratio/run.sh has made, whose folder is DIR here:

    DIR/venv/bin/python make.py DIR OUT FACTS.jsonl... -- QUESTIONS.jsonl...

OUT/codepoints.txt.gz: for each character c the ids of "acb c".
OUT/topten.json.gz: passages of the facts, and which ten are nearest to each
question. Facts have heading, subheading and statement, questions text.
"""
import gzip
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "onnx_ratio"))
from ratio import Onnx


def write(path, text):
    with open(path, "wb") as f:
        f.write(gzip.compress(text.encode(), 9, mtime=0))


def codepoints(tokens):
    """Runs of characters with the same ids: first, last, ids."""
    tokens.no_truncation()
    runs = []
    characters = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    for start in range(0, len(characters), 20000):
        part = characters[start:start + 20000]
        for c, e in zip(part, tokens.encode_batch([f"a{chr(c)}b {chr(c)}" for c in part])):
            if runs and runs[-1][1] == c - 1 and runs[-1][2] == e.ids:
                runs[-1][1] = c
            else:
                runs.append([c, c, e.ids])
    return "".join(f"{a:x} {b:x} {' '.join(map(str, ids))}\n" for a, b, ids in runs)


def rows(names):
    return [json.loads(line) for name in names for line in open(name, encoding="utf-8") if line.strip()]


def topten(onnx, facts, questions):
    chunks = {}
    for f in facts:
        chunks.setdefault((f["heading"], f["subheading"]), []).append(f["statement"])
    texts = [f"{h}. {s}. {' '.join(statements)}" for (h, s), statements in chunks.items()]
    asked = [q["text"] for q in questions]
    scores = np.array([onnx.embed(q)[0] for q in asked]) @ np.array([onnx.embed(t)[0] for t in texts]).T
    order = np.argsort(-scores, axis=1)
    gap = min(float(s[o[9]] - s[o[10]]) for s, o in zip(scores, order))
    return {"chunks": texts, "questions": asked, "top": [sorted(map(int, o[:10])) for o in order], "gap": gap}


def main(folder, out, *names):
    split = names.index("--")
    onnx = Onnx(os.path.join(folder, "all-minilm-l6-v2.onnx"), os.path.join(folder, "all-minilm-l6-v2-tokenizer.json"))
    top = topten(onnx, rows(names[:split]), rows(names[split + 1:]))
    write(os.path.join(out, "topten.json.gz"), json.dumps(top, ensure_ascii=False, separators=(",", ":")))
    write(os.path.join(out, "codepoints.txt.gz"), codepoints(onnx.tokens))


if __name__ == "__main__":
    main(*sys.argv[1:])
