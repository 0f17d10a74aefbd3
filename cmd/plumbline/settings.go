package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"plumbline/pipeline"
)

// settings is everything that differs from one deployment to the next. The
// zero values are not the defaults: see defaultSettings.
type settings struct {
	Pack      string            `yaml:"pack"`     // the domain pack that answers unless another is named
	Personas  map[string]string `yaml:"personas"` // by channel, for those who chose none; "" for other channels
	Retrieval retrievalSettings `yaml:"retrieval"`
	Serve     serveSettings     `yaml:"serve"`
}

type retrievalSettings struct {
	Default   string           `yaml:"default"`   // fused or heading-first
	K         int              `yaml:"k"`         // chunks that a retrieval returns
	Keep      int              `yaml:"keep"`      // chunks whose words reach the answer
	Room      int              `yaml:"room"`      // characters of paragraphs that do
	Share     float64          `yaml:"share"`     // of the best paragraph's relevance that a paragraph needs
	Threshold float64          `yaml:"threshold"` // cosine that a heading must reach in heading-first
	Depth     int              `yaml:"depth"`     // records looked at a view in fused
	Weights   pipeline.Weights `yaml:"weights"`   // of the views in fused
}

type serveSettings struct {
	Addr string `yaml:"addr"`
}

func defaultSettings() settings {
	return settings{
		Pack:      "drinking-water",
		Personas:  map[string]string{"": "neighbor", "slack": "cityhall"},
		Retrieval: retrievalSettings{Default: "fused", K: 12, Keep: 12, Room: 3600, Share: 0.67, Threshold: pipeline.Threshold, Depth: 400, Weights: pipeline.DefaultWeights},
		Serve:     serveSettings{Addr: "127.0.0.1:8080"},
	}
}

// maxSettings is the most bytes of a settings file.
const maxSettings = 1 << 20

// loadSettings reads a settings file over the defaults; no file, the defaults.
// Its error lists everything that is wrong.
func loadSettings(file string) (settings, error) {
	s := defaultSettings()
	if file == "" {
		return s, nil
	}
	b, err := readFile(file, maxSettings)
	if err != nil {
		return s, fmt.Errorf("read settings: %w", err)
	}
	if !utf8.Valid(b) || bytes.ContainsRune(b, 0) {
		return s, fmt.Errorf("settings %s is not text: write YAML", file)
	}
	if err := yaml.UnmarshalWithOptions(b, &s, yaml.Strict()); err != nil && !errors.Is(err, io.EOF) {
		return s, fmt.Errorf("settings %s: %s", file, yaml.FormatError(err, false, true))
	}
	if s.Retrieval.K == 0 && s.Pack == "" && s.Serve.Addr == "" {
		s = defaultSettings() // nothing but comments
	}
	var errs []error
	wrong := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf("settings %s: "+format, append([]any{file}, args...)...))
		}
	}
	r := s.Retrieval
	wrong(r.Default != "fused" && r.Default != "heading-first", "retrieval.default is %q; write fused or heading-first", r.Default)
	wrong(r.K < 1 || r.K > 100, "retrieval.k is %d; write 1 to 100", r.K)
	wrong(r.Keep < 1 || r.Keep > r.K, "retrieval.keep is %d; write 1 to retrieval.k (%d)", r.Keep, r.K)
	wrong(r.Room < 200 || r.Room > 100000, "retrieval.room is %d; write 200 to 100000", r.Room)
	wrong(r.Share < 0 || r.Share > 1, "retrieval.share is %v; write 0 to 1", r.Share)
	wrong(!(r.Threshold >= -1 && r.Threshold <= 1), "retrieval.threshold is %v; a cosine is -1 to 1", r.Threshold)
	wrong(r.Depth < 1 || r.Depth > 100_000, "retrieval.depth is %d; write 1 to 100000", r.Depth)
	w := r.Weights
	for name, v := range map[string]float64{"heading": w.Heading, "alias": w.Alias, "body": w.Body, "paragraph": w.Paragraph, "text": w.Text, "wider": w.Wider, "context": w.Context} {
		wrong(!(v >= 0 && v <= 1000), "retrieval.weights.%s is %v; write 0 or more", name, v)
	}
	wrong(w.Heading+w.Alias+w.Body+w.Paragraph+w.Text <= 0, "retrieval.weights are all 0; give one of them weight")
	return s, errors.Join(errs...)
}
