package main

import (
	"cmp"
	"fmt"
	"strings"

	"plumbline/bot"
	"plumbline/channels/sms"
	"plumbline/internal/gsm7"
	"plumbline/internal/redact"
	"plumbline/internal/text"
	"plumbline/pipeline"
)

// A textLine is what commands about texts read with -.
type textLine struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Lang string `json:"lang"`
}

// eachText calls do with the text of the arguments, or with each line of stdin
// for -.
func eachText(a *app, args []string, what string, do func(textLine) error) error {
	if len(args) == 0 {
		return usage("there is no text; write it after %s, or - to read JSON lines", what)
	}
	if joined := strings.Join(args, " "); joined != "-" {
		return do(textLine{Text: joined})
	}
	return eachLine(a.std.In, do)
}

type smsCmd struct {
	Segments smsSegmentsCmd `cmd:"" help:"Say what a text costs"`
}

type smsSegmentsCmd struct {
	Text  []string `arg:"" optional:"" help:"The text, or - to read JSON lines {id, text}"`
	Smart bool     `help:"Count the text as smart encoding sends it" default:"true" negatable:""`
	Lang  string   `help:"Language: en or es (told by the words if left out)" placeholder:"LANG"`
}

// Help shows examples.
func (smsSegmentsCmd) Help() string {
	return `Examples:
  plumbline sms segments "“Boil” water – 1 minute"
  plumbline sms segments "¿Está segura el agua? Llámenos." --lang es
  plumbline sms segments --no-smart - < texts.jsonl

"folded" is what we send of it: signs that cost a whole encoding are written out,
and Spanish loses á, í, ó, ú where that saves a segment (twilio.fold).`
}

type smsCost struct {
	Encoding string `json:"encoding"`
	Segments int    `json:"segments"`
	Units    int    `json:"units"`
}

func costOf(s string) smsCost {
	c := gsm7.Count(s)
	return smsCost{c.Encoding, c.Segments, c.Units}
}

func (c *smsSegmentsCmd) Run(a *app) error {
	return eachText(a, c.Text, "segments", func(l textLine) error {
		sent := l.Text
		if c.Smart {
			sent = gsm7.Smart(l.Text)
		}
		out := struct {
			ID string `json:"id,omitempty"`
			smsCost
			TextSent string  `json:"text_sent"`
			Before   smsCost `json:"before"` // without smart encoding
			After    smsCost `json:"after"`  // with it
			Folded   string  `json:"folded"` // as we send it
			Cost     smsCost `json:"folded_cost"`
		}{ID: l.ID, smsCost: costOf(sent), TextSent: sent, Before: costOf(l.Text), After: costOf(gsm7.Smart(l.Text))}
		lang := cmp.Or(l.Lang, c.Lang, text.Language(l.Text).Lang)
		out.Folded = pipeline.FitOf(sms.SMS).Send(l.Text, bot.Language(lang))
		out.Cost = costOf(out.Folded)
		if a.globals.JSON || len(c.Text) == 1 && c.Text[0] == "-" {
			return writeJSON(a.std.Out, out)
		}
		_, err := fmt.Fprintf(a.std.Out, "%d segments, %d units, %s\n%s\n", out.Segments, out.Units, out.Encoding, out.TextSent)
		if err == nil && out.Folded != out.TextSent {
			_, err = fmt.Fprintf(a.std.Out, "as we send it: %d segments, %d units, %s\n%s\n", out.Cost.Segments, out.Cost.Units, out.Cost.Encoding, out.Folded)
		}
		return err
	})
}

type evalTextCmd struct {
	Text []string `arg:"" optional:"" help:"The text, or - to read JSON lines {id, text, lang}"`
	Lang string   `help:"Language: en or es (told by the words if left out)" placeholder:"LANG"`
}

// Help shows examples.
func (evalTextCmd) Help() string {
	return `Examples:
  plumbline eval text "Boil the water for 1 minute. Then let it cool."
  plumbline eval text --json - < texts.jsonl

Flesch reading ease and Flesch-Kincaid grade for English, Fernández Huerta for
Spanish (no grade). Of a text without words both are null.

emotion is the emotional reaction to the person written to, by EPITOME's levels:
0 none, 1 weak (warmth that names no feeling of the writer's), 2 strong (one
that does). emotion_64 is that of what EPITOME's classifier would read, some 48
words. Both go by phrases, without a model: fit to compare many texts, not to
grade one.`
}

func (c *evalTextCmd) Run(a *app) error {
	return eachText(a, c.Text, "text", func(l textLine) error {
		lang := l.Lang
		if lang == "" {
			lang = c.Lang
		}
		if lang == "" {
			lang = text.Language(l.Text).Lang
		}
		m := text.Measure(l.Text)
		if lang == "es" {
			m = text.MeasureES(l.Text)
		}
		out := struct {
			ID        string   `json:"id,omitempty"`
			Sentences int      `json:"sentences"`
			Words     int      `json:"words"`
			Syllables int      `json:"syllables"`
			Flesch    *float64 `json:"flesch"`
			Grade     *float64 `json:"grade"`
			Emotion   int      `json:"emotion"`
			Emotion64 int      `json:"emotion_64"`
			Felt      []string `json:"emotion_words"` // that tell the level, as they stand
		}{l.ID, m.Sentences, m.Words, m.Syllables, m.Flesch, m.Grade, 0, 0, []string{}}
		felt := text.Emotion(l.Text, lang)
		out.Emotion = felt.Level
		out.Emotion64 = text.Emotion(text.FirstWords(l.Text, text.EmotionWords), lang).Level
		for _, p := range felt.Spans {
			out.Felt = append(out.Felt, p.In(l.Text))
		}
		if a.globals.JSON || len(c.Text) == 1 && c.Text[0] == "-" {
			return writeJSON(a.std.Out, out)
		}
		show := func(x *float64) string {
			if x == nil {
				return "not available"
			}
			return fmt.Sprintf("%.1f", *x)
		}
		_, err := fmt.Fprintf(a.std.Out, "%d sentences, %d words, %d syllables\nFlesch %s, grade %s\nemotion %d%s\n",
			out.Sentences, out.Words, out.Syllables, show(out.Flesch), show(out.Grade), out.Emotion, by(out.Felt))
		return err
	})
}

// by names the words that told an emotion.
func by(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return ": " + strings.Join(words, "; ")
}

type sessionsRedactCmd struct {
	Text []string `arg:"" optional:"" help:"The text, or - to read JSON lines {id, text}"`
}

// Help shows examples.
func (sessionsRedactCmd) Help() string {
	return `Examples:
  plumbline sessions redact "call me at 973-555-0123"
  plumbline sessions redact - < texts.jsonl

Spans count code points of the text as given. Numbers and addresses that the packs
give out stay.`
}

func (c *sessionsRedactCmd) Run(a *app) error {
	keep, err := a.publicDetails()
	if err != nil {
		return err
	}
	return eachText(a, c.Text, "redact", func(l textLine) error {
		clean, spans := redact.Redact(l.Text, keep...)
		if !a.globals.JSON && (len(c.Text) != 1 || c.Text[0] != "-") {
			_, err := fmt.Fprintln(a.std.Out, clean)
			return err
		}
		type span struct {
			Type  string `json:"type"`
			Start int    `json:"start"`
			End   int    `json:"end"`
		}
		out := struct {
			ID    string `json:"id,omitempty"`
			Text  string `json:"text"`
			Spans []span `json:"spans"`
		}{l.ID, clean, []span{}}
		for _, s := range spans {
			out.Spans = append(out.Spans, span{string(s.Type), s.Start, s.End})
		}
		return writeJSON(a.std.Out, out)
	})
}
