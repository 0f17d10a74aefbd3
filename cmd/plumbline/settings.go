package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/caarlos0/env/v11"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"plumbline/bot"
	"plumbline/internal/text"
	"plumbline/personas"
	"plumbline/pipeline"
)

// settings is everything that differs from one deployment to the next. The
// zero values are not the defaults: see defaultSettings. Each may stand in the
// settings file, and those with an env tag in the environment, which wins.
type settings struct {
	Pack      string            `yaml:"pack" env:"PACK"` // the domain pack that answers unless another is named
	Personas  map[string]string `yaml:"personas"`        // by channel, for those who chose none; "" for other channels
	Retrieval retrievalSettings `yaml:"retrieval"`
	House     houseSettings     `yaml:"house" envPrefix:"HOUSE_"`
	Intake    intakeSettings    `yaml:"intake"`
	Record    recordSettings    `yaml:"record" envPrefix:"RECORD_"`
	Serve     serveSettings     `yaml:"serve"`
	Log       logSettings       `yaml:"log" envPrefix:"LOG_"`
	Models    modelsSettings    `yaml:"models"`
	Public    publicSettings    `yaml:"public" envPrefix:"PUBLIC_"`
	Twilio    twilioSettings    `yaml:"twilio" envPrefix:"TWILIO_"`
	Duty      dutySettings      `yaml:"duty"`
}

type retrievalSettings struct {
	Default   string           `yaml:"default"`   // fused or heading-first
	K         int              `yaml:"k"`         // chunks that a retrieval returns
	Keep      int              `yaml:"keep"`      // chunks whose words reach the answer
	Room      int              `yaml:"room"`      // characters of paragraphs that do
	Share     float64          `yaml:"share"`     // of the best paragraph's relevance that the first paragraphs need
	Rise      float64          `yaml:"rise"`      // what that share grows by till the room is full
	Threshold float64          `yaml:"threshold"` // cosine that a heading must reach in heading-first
	Depth     int              `yaml:"depth"`     // records looked at a view in fused
	Weights   pipeline.Weights `yaml:"weights"`   // of the views in fused
}

// houseSettings is who runs the line, as fixed texts name them.
type houseSettings struct {
	Name    string            `yaml:"name" env:"NAME"`
	Phone   string            `yaml:"phone" env:"PHONE"` // of the staff
	Sharing map[string]string `yaml:"sharing"`           // who else is shown what people text, by language
	Zone    string            `yaml:"zone" env:"ZONE"`   // that hours are told in, such as America/New_York; the machine's if empty

	zone *time.Location // that Zone names
}

// intakeSettings are what one person may send, and what is one message.
type intakeSettings struct {
	Debounce time.Duration   `yaml:"debounce"` // texts that follow each other within this are one message
	Patience time.Duration   `yaml:"patience"` // the longest that debounce holds a text back
	Repeat   time.Duration   `yaml:"repeat"`   // the same words within this are the same message
	Same     limitSettings   `yaml:"same"`     // the same words more often than this go unanswered: a machine sends them
	Limits   []limitSettings `yaml:"limits"`   // what passes one of them is told so once
	Silence  time.Duration   `yaml:"silence"`  // and then nothing is said for this long
}

type limitSettings struct {
	Count int           `yaml:"count"`
	Per   time.Duration `yaml:"per"`
}

// recordSettings are how long things are kept.
type recordSettings struct {
	Days  int `yaml:"days" env:"DAYS"`   // a turn
	Hours int `yaml:"hours" env:"HOURS"` // a conversation, after its last message
}

type serveSettings struct {
	Addr    string  `yaml:"addr" env:"ADDR"`
	Workers int     `yaml:"workers" env:"WORKERS"` // answers worked out at once, emergencies aside
	Cents   float64 `yaml:"cents" env:"CENTS"`     // what one segment costs, in US cents
}

type logSettings struct {
	Level  slog.Level `yaml:"level" env:"LEVEL"`   // debug, info, warn or error
	Format string     `yaml:"format" env:"FORMAT"` // text or json
}

func defaultSettings() settings {
	return settings{
		Pack:      "drinking-water",
		Personas:  map[string]string{"": "neighbor", "slack": "cityhall"},
		Retrieval: retrievalSettings{Default: "fused", K: 12, Keep: 12, Room: 3600, Share: 0.62, Rise: 0.14, Threshold: pipeline.Threshold, Depth: 400, Weights: pipeline.DefaultWeights},
		Intake: intakeSettings{
			Debounce: 1500 * time.Millisecond, Patience: 6 * time.Second, Repeat: 10 * time.Second, Same: limitSettings{4, time.Hour},
			Limits: []limitSettings{{20, 10 * time.Minute}, {120, 24 * time.Hour}}, Silence: time.Hour,
		},
		Record: recordSettings{Days: 365, Hours: 72},
		Serve:  serveSettings{Addr: "127.0.0.1:8080", Workers: 2, Cents: 0.83},
		Log:    logSettings{Level: slog.LevelInfo, Format: "text"},
		Models: defaultModels(),
		Public: publicSettings{Addr: "127.0.0.1:8081"},
		Twilio: defaultTwilio(),
	}
}

// maxSettings is the most bytes of a settings file.
const maxSettings = 1 << 20

// loadSettings reads a settings file (none if file is empty) over the defaults,
// and the environment over both. Its error lists everything that is wrong.
func loadSettings(file string, getenv func(string) string) (settings, error) {
	s := defaultSettings()
	where := "settings"
	if file != "" {
		where += " " + file
		b, err := readFile(file, maxSettings)
		if err != nil {
			return s, fmt.Errorf("read settings: %w", err)
		}
		if !utf8.Valid(b) || bytes.ContainsRune(b, 0) {
			return s, fmt.Errorf("%s is not text: write YAML", where)
		}
		if err := s.fromYAML(b, where); err != nil {
			return s, errors.Join(err, s.fromEnv(getenv), s.check(where))
		}
	}
	for channel, voice := range defaultSettings().Personas { // a file that names one channel leaves the others as they were
		if _, set := s.Personas[channel]; !set {
			if s.Personas == nil {
				s.Personas = map[string]string{}
			}
			s.Personas[channel] = voice
		}
	}
	return s, errors.Join(s.fromEnv(getenv), s.check(where))
}

// fromYAML takes over what a file sets. It decodes each setting by itself, so
// that its error tells of all that cannot be read, each with its line.
func (s *settings) fromYAML(b []byte, where string) error {
	file, err := parser.ParseBytes(b, 0)
	if err != nil {
		return fmt.Errorf("%s: %s", where, yaml.FormatError(err, false, true))
	}
	var errs []error
	// decode takes over what stands at path in one value of the file.
	var decode func(path []*ast.MappingValueNode, v *ast.MappingValueNode)
	decode = func(path []*ast.MappingValueNode, v *ast.MappingValueNode) {
		path = append(path[:len(path):len(path)], v)
		if inner, ok := v.Value.(*ast.MappingNode); ok && len(path) == 1 && sections[v.Key.String()] {
			for _, next := range inner.Values {
				decode(path, next)
			}
			return
		}
		var one ast.Node = v.Value
		for i := len(path) - 1; i >= 0; i-- {
			one = ast.Mapping(path[i].GetToken(), false, ast.MappingValue(path[i].GetToken(), path[i].Key, one))
		}
		if err := yaml.NodeToValue(one, s, yaml.Strict()); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s", where, yaml.FormatError(err, false, true)))
		}
	}
	for _, doc := range file.Docs {
		switch body := doc.Body.(type) {
		case nil, *ast.NullNode, *ast.CommentGroupNode: // nothing but comments
		case *ast.MappingNode:
			for _, v := range body.Values {
				decode(nil, v)
			}
		default:
			errs = append(errs, fmt.Errorf("%s: write settings as name: value", where))
		}
	}
	return errors.Join(errs...)
}

// sections are the settings that are made of others.
var sections = func() map[string]bool {
	m := map[string]bool{}
	t := reflect.TypeFor[settings]()
	for i := range t.NumField() {
		if f := t.Field(i); f.Type.Kind() == reflect.Struct {
			m[f.Tag.Get("yaml")] = true
		}
	}
	return m
}()

const envPrefix = "PLUMBLINE_"

// fromEnv takes over what the environment sets.
func (s *settings) fromEnv(getenv func(string) string) error {
	s.Models.fromOpenAI(getenv)
	s.Twilio.fromEnv(getenv)
	opts := env.Options{Prefix: envPrefix, Environment: map[string]string{}}
	params, err := env.GetFieldParamsWithOptions(s, opts)
	if err != nil {
		return err // a mistake in the struct
	}
	for _, p := range params {
		if v := getenv(p.Key); p.OwnKey != "" && v != "" {
			opts.Environment[p.Key] = v
		}
	}
	err = env.ParseWithOptions(s, opts)
	var all env.AggregateError
	if !errors.As(err, &all) {
		return err
	}
	var errs []error
	for _, e := range all.Errors {
		var bad env.ParseError
		if !errors.As(e, &bad) {
			errs = append(errs, e)
			continue
		}
		// The field's name is not the variable's; its value may be a secret.
		for _, p := range params {
			if p.OwnKey != "" && strings.HasSuffix(strings.ReplaceAll(p.Key, "_", ""), strings.ToUpper(bad.Name)) && opts.Environment[p.Key] != "" {
				errs = append(errs, fmt.Errorf("%s cannot be read as %s", p.Key, bad.Type))
				break
			}
		}
	}
	return errors.Join(errs...)
}

// check lists what is wrong with s.
func (s *settings) check(where string) error {
	var errs []error
	wrong := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(where+": "+format, args...))
		}
	}
	r := s.Retrieval
	wrong(r.Default != "fused" && r.Default != "heading-first", "retrieval.default is %q; write fused or heading-first", r.Default)
	wrong(r.K < 1 || r.K > 100, "retrieval.k is %d; write 1 to 100", r.K)
	wrong(r.Keep < 1 || r.Keep > r.K, "retrieval.keep is %d; write 1 to retrieval.k (%d)", r.Keep, r.K)
	wrong(r.Room < 200 || r.Room > 100000, "retrieval.room is %d; write 200 to 100000", r.Room)
	wrong(r.Share < 0 || r.Share > 1, "retrieval.share is %v; write 0 to 1", r.Share)
	wrong(r.Rise < 0 || r.Rise > 1, "retrieval.rise is %v; write 0 to 1", r.Rise)
	wrong(!(r.Threshold >= -1 && r.Threshold <= 1), "retrieval.threshold is %v; a cosine is -1 to 1", r.Threshold)
	wrong(r.Depth < 1 || r.Depth > 100_000, "retrieval.depth is %d; write 1 to 100000", r.Depth)
	w := r.Weights
	for name, v := range map[string]float64{"heading": w.Heading, "alias": w.Alias, "body": w.Body, "paragraph": w.Paragraph, "text": w.Text, "wider": w.Wider, "context": w.Context} {
		wrong(!(v >= 0 && v <= 1000), "retrieval.weights.%s is %v; write 0 or more", name, v)
	}
	wrong(w.Heading+w.Alias+w.Body+w.Paragraph+w.Text <= 0, "retrieval.weights are all 0; give one of them weight")

	h := s.House
	wrong(utf8.RuneCountInString(h.Name) > 40, "house.name is longer than 40 characters, and texts would not fit")
	wrong(strings.ContainsAny(h.Name+h.Phone, "[]") || strings.ContainsFunc(h.Name+h.Phone, unicode.IsControl), "house.name and house.phone may not hold brackets or line breaks")
	wrong(strings.TrimSpace(h.Name) != h.Name, "house.name begins or ends with spaces")
	wrong(h.Phone != "" && len(text.Phones(h.Phone)) != 1, "house.phone is not a telephone number such as 973-555-0100")
	if zone, err := time.LoadLocation(h.Zone); err != nil {
		wrong(true, "house.zone is %q; write a zone such as America/New_York", h.Zone)
	} else if h.Zone != "" {
		s.House.zone = zone
	}
	for lang, t := range h.Sharing {
		wrong(lang != "en" && lang != "es", "house.sharing has the language %q; write en and es", lang)
		wrong(utf8.RuneCountInString(t) > 80, "house.sharing.%s is longer than 80 characters, and the text would not fit", lang)
	}
	set, err := personas.Default()
	if err != nil {
		return err // part of the binary
	}
	var voices []string
	for _, p := range set.All() {
		voices = append(voices, p.ID)
	}
	for _, channel := range slices.Sorted(maps.Keys(s.Personas)) {
		wrong(!slices.Contains(voices, s.Personas[channel]), "personas.%s is %q; write one of %s", cmp.Or(channel, `""`), s.Personas[channel], strings.Join(voices, ", "))
	}
	in := s.Intake
	wrong(in.Debounce < 0 || in.Debounce > time.Minute, "intake.debounce is %v; write 0s to 1m", in.Debounce)
	wrong(in.Patience < in.Debounce || in.Patience > 5*time.Minute, "intake.patience is %v; write intake.debounce (%v) to 5m", in.Patience, in.Debounce)
	wrong(in.Repeat < 0 || in.Repeat > time.Hour, "intake.repeat is %v; write 0s to 1h", in.Repeat)
	wrong(in.Same.Count < 0 || in.Same.Per < 0 || in.Same.Per > 48*time.Hour, "intake.same is %d per %v; write 0 or more, per 0s to 48h", in.Same.Count, in.Same.Per)
	wrong(in.Silence < 0 || in.Silence > 24*time.Hour, "intake.silence is %v; write 0s to 24h", in.Silence)
	for i, l := range in.Limits {
		wrong(l.Count < 1 || l.Per < time.Second || l.Per > 48*time.Hour, "intake.limits[%d] is %d per %v; write 1 or more, per 1s to 48h", i, l.Count, l.Per)
	}
	wrong(s.Record.Days < 1 || s.Record.Days > 3650, "record.days is %d; write 1 to 3650", s.Record.Days)
	wrong(s.Record.Hours < 1 || s.Record.Hours > 24*365, "record.hours is %d; write 1 to 8760", s.Record.Hours)
	wrong(s.Serve.Workers < 1 || s.Serve.Workers > 256, "serve.workers is %d; write 1 to 256", s.Serve.Workers)
	wrong(!(s.Serve.Cents >= 0 && s.Serve.Cents <= 1000), "serve.cents is %v; write 0 to 1000", s.Serve.Cents)
	if _, _, err := net.SplitHostPort(s.Serve.Addr); err != nil {
		wrong(true, "serve.addr is %q; write HOST:PORT, such as 127.0.0.1:8080", s.Serve.Addr)
	}
	s.Models.check(wrong)
	s.Public.check(wrong)
	s.Twilio.check(wrong)
	s.Duty.check(wrong)
	if s.Twilio.on() {
		for _, what := range s.lacks() {
			wrong(true, "%s", what)
		}
	}
	wrong(s.Log.Format != "text" && s.Log.Format != "json", "log.format is %q; write text or json", s.Log.Format)
	return errors.Join(errs...)
}

// modelWorkers is how many answers are worked out at once where models are asked
// and nothing is set: they wait for a server, not for a core.
const modelWorkers = 16

// workers is how many answers are worked out at once.
func (s *settings) workers() int {
	if s.Models.asks() && s.Serve.Workers == defaultSettings().Serve.Workers {
		return modelWorkers
	}
	return s.Serve.Workers
}

// house is s.House as the conversation takes it.
func (s *settings) house() bot.House {
	h := bot.House{Name: s.House.Name, Phone: s.House.Phone, KeepDays: s.Record.Days, Sharing: map[bot.Language]string{}}
	for lang, t := range s.House.Sharing {
		h.Sharing[bot.Language(lang)] = t
	}
	return h
}

// rules are s.Intake as the inbox takes it.
func (s *settings) rules() bot.IntakeRules {
	in := s.Intake
	r := bot.IntakeRules{Debounce: in.Debounce, Patience: in.Patience, Repeat: in.Repeat, Same: bot.Limit{Count: in.Same.Count, Per: in.Same.Per}, Silence: in.Silence}
	for _, l := range in.Limits {
		r.Limits = append(r.Limits, bot.Limit{Count: l.Count, Per: l.Per})
	}
	return r
}
