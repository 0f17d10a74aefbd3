"""Times our Embed beside ONNX Runtime fp32 and prints the ratios.

    python ratio.py MODEL.onnx TOKENIZER.json OUR_BINARY [ROUNDS [PLUMBLINE]]

Runs alternate and the least of each counts, since machines are shared. One
thread each. Ours includes the tokenizer; of ONNX Runtime's two figures the
first is the session alone, which is the stricter one and the one judged.
Exit status 1 if a ratio is above 1.1 or the vectors disagree.
"""
import json
import subprocess
import sys
import time

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

LIMIT = 1.1
SHORT = "is my tap water safe to drink"
# 132 pieces with [CLS] and [SEP]: every word is one piece.
CHUNK = " ".join(("the city tests water for lead at homes each year and " * 12).split()[:130])


class Onnx:
    def __init__(self, model, tokenizer):
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self.session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.names = {i.name for i in self.session.get_inputs()}
        self.tokens = Tokenizer.from_file(tokenizer)
        self.tokens.no_padding()
        self.tokens.enable_truncation(256)

    def embed(self, text):
        """The vector, seconds in the session, seconds in all."""
        start = time.perf_counter()
        ids = np.array([self.tokens.encode(text).ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        feed = {k: v for k, v in feed.items() if k in self.names}
        before = time.perf_counter()
        state = self.session.run(None, feed)[0]
        after = time.perf_counter()
        v = state[0].mean(axis=0)
        v /= np.linalg.norm(v)
        return v, after - before, time.perf_counter() - start


class Ours:
    def __init__(self, binary):
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def embed(self, text, times=1):
        self.process.stdin.write(json.dumps([text] * times) + "\n")
        self.process.stdin.flush()
        reply = json.loads(self.process.stdout.readline())
        return np.array(reply["vectors"][0]), reply["ns"] / 1e9 / times


FIRST = """
import sys, numpy as np, onnxruntime as ort
from tokenizers import Tokenizer
o = ort.SessionOptions(); o.intra_op_num_threads = 1
s = ort.InferenceSession(sys.argv[1], o, providers=["CPUExecutionProvider"])
t = Tokenizer.from_file(sys.argv[2]); t.no_padding()
ids = np.array([t.encode(sys.argv[3]).ids], dtype=np.int64)
f = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
v = s.run(None, {i.name: f[i.name] for i in s.get_inputs()})[0][0].mean(axis=0)
print(v[:4] / np.linalg.norm(v))
"""


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main(model, tokenizer, binary, rounds=40, plumbline=None):
    onnx, ours = Onnx(model, tokenizer), Ours(binary)
    good = True
    for name, text, per_round in (("short query", SHORT, 20), ("chunk of 132 pieces", CHUNK, 3)):
        mine, session, whole = [], [], []
        for _ in range(rounds):
            # One text a request on either side: neither profits from a run.
            for _ in range(per_round):
                v, took = ours.embed(text)
                mine.append(took)
            for _ in range(per_round):
                w, inner, outer = onnx.embed(text)
                session.append(inner)
                whole.append(outer)
        cosine = float(v @ w)
        ratio = min(mine) / min(session)
        good &= ratio <= LIMIT and cosine > 0.99999
        print(f"{name}: ours {min(mine)*1e3:.2f} ms, ONNX Runtime {min(session)*1e3:.2f} ms"
              f" ({min(whole)*1e3:.2f} ms with tokenizer), ratio {ratio:.3f}, cosine {cosine:.7f}")
    start = [(seconds([binary, "-first", SHORT]), seconds([sys.executable, "-c", FIRST, model, tokenizer, SHORT]))
             for _ in range(max(5, rounds // 4))]
    a, b = (min(t) for t in zip(*start))
    good &= a / b <= LIMIT
    print(f"process start to first vector: ours {a*1e3:.0f} ms, ONNX Runtime {b*1e3:.0f} ms, ratio {a/b:.3f}")
    if plumbline:
        search = [(seconds([plumbline, "kb", "search", SHORT]), seconds([sys.executable, "-c", FIRST, model, tokenizer, SHORT]))
                  for _ in range(max(5, rounds // 4))]
        a, b = (min(t) for t in zip(*search))
        print(f"process start to the result of kb search: ours {a*1e3:.0f} ms, ONNX Runtime to its first vector {b*1e3:.0f} ms, ratio {a/b:.3f}")
    print("within" if good else "NOT within", f"{LIMIT} of ONNX Runtime fp32")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4], *map(int, sys.argv[4:5]), *sys.argv[5:6]))
