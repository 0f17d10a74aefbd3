package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
)

func settingsOf(t *testing.T, yaml string, vars map[string]string) (settings, error) {
	t.Helper()
	file := ""
	if yaml != "" {
		file = filepath.Join(t.TempDir(), "s.yaml")
		if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return loadSettings(file, func(k string) string { return vars[k] })
}

func TestSettings(t *testing.T) {
	def := defaultSettings()
	for _, yaml := range []string{"", "# nothing\n", "pack: drinking-water\n"} {
		if got, err := settingsOf(t, yaml, nil); err != nil || !reflect.DeepEqual(got, def) {
			t.Errorf("settings of %q = %+v, %v; want the defaults", yaml, got, err)
		}
	}
	got, err := settingsOf(t, "house:\n  name: Newark Water Coalition\n  sharing: {en: Nobody else., es: Nadie.}\nintake:\n  debounce: 2s\n  limits: [{count: 3, per: 1m}]\nserve: {workers: 4}\n",
		map[string]string{"PLUMBLINE_HOUSE_PHONE": "973-555-0100", "PLUMBLINE_WORKERS": "7", "PLUMBLINE_LOG_LEVEL": "debug", "PLUMBLINE_RECORD_DAYS": "30"})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"": "neighbor", "slack": "cityhall"}; !reflect.DeepEqual(got.Personas, want) {
		t.Errorf("personas = %v, want %v", got.Personas, want)
	}
	if got, err := settingsOf(t, "personas: {web: plain}\n", nil); err != nil || !reflect.DeepEqual(got.Personas, map[string]string{"": "neighbor", "slack": "cityhall", "web": "plain"}) {
		t.Errorf("personas = %v, %v; want what the file says beside the defaults", got.Personas, err)
	}
	if got.Serve.Workers != 7 || got.Log.Level != slog.LevelDebug || got.Serve.Addr != def.Serve.Addr {
		t.Errorf("workers %d, level %v, addr %q; want what the environment, or else the file, or else the defaults say", got.Serve.Workers, got.Log.Level, got.Serve.Addr)
	}
	if h := got.house(); h.Name != "Newark Water Coalition" || h.Phone != "973-555-0100" || h.KeepDays != 30 || h.Sharing[bot.Spanish] != "Nadie." {
		t.Errorf("house = %+v", h)
	}
	if r := got.rules(); r.Debounce != 2*time.Second || len(r.Limits) != 1 || r.Limits[0] != (bot.Limit{Count: 3, Per: time.Minute}) || r.Silence != time.Hour {
		t.Errorf("rules = %+v", r)
	}
}

// Everything that is wrong is told at once, by its name, and no value of the
// environment is shown.
func TestSettingsFaults(t *testing.T) {
	_, err := settingsOf(t, "retrieval: {k: 0}\nhouse: {name: 'a [NAME]', phone: call us}\nintake: {debounce: 2m, limits: [{count: 0, per: 1m}]}\nrecord: {days: 0}\nserve: {addr: nowhere}\nlog: {format: xml}\npersonas: {'': nobody, sms: plain, web: 7}\n",
		map[string]string{"PLUMBLINE_WORKERS": "s3cret", "PLUMBLINE_LOG_LEVEL": "s3cret", "PLUMBLINE_RECORD_HOURS": "s3cret"})
	if err == nil {
		t.Fatal("bad settings are accepted")
	}
	for _, want := range []string{
		"retrieval.k is 0", "house.name and house.phone may not hold brackets", "house.phone is not a telephone number", "intake.debounce is 2m0s", "intake.patience",
		"intake.limits[0] is 0 per 1m0s", "record.days is 0", `personas."" is "nobody"; write one of cityhall, neighbor, plain`, `personas.web is "7"`, `serve.addr is "nowhere"`, `log.format is "xml"`,
		"PLUMBLINE_WORKERS cannot be read as int", "PLUMBLINE_LOG_LEVEL cannot be read as", "PLUMBLINE_RECORD_HOURS cannot be read as int",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q", want)
		}
	}
	for _, name := range []string{"' '", `"A\tB"`} {
		if _, err := settingsOf(t, "house: {name: "+name+"}\n", nil); err == nil || !strings.Contains(err.Error(), "house.name") {
			t.Errorf("with house.name %s the error is %v, want one that names it", name, err)
		}
	}
	if strings.Contains(err.Error(), "personas.sms") {
		t.Error("the error names a persona that there is")
	}
	if strings.Contains(err.Error(), "s3cret") {
		t.Error("the error shows a value of the environment")
	}
	if t.Failed() {
		t.Log(err)
	}
}

// What cannot be read is told of every setting, not of the first alone.
func TestSettingsOfTheWrongKind(t *testing.T) {
	_, err := settingsOf(t, "serve: {workers: many, cents: x}\nrecord:\n  days: long\n  weeks: 3\nhouse: {name: Us}\nnothing: 1\n", nil)
	if err == nil {
		t.Fatal("bad settings are accepted")
	}
	for _, want := range []string{"workers: many", "cents: x", "days: long", "weeks", "nothing"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(err)
	}
}

// Every setting stands in docs/operations.md or docs/models.md, by its name in
// the file and in the environment; those of a model once for all stages.
func TestSettingsAreDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	models, err := os.ReadFile("../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(b) + string(models)
	var walk func(v reflect.Type, path, prefix string)
	walk = func(v reflect.Type, path, prefix string) {
		for i := range v.NumField() {
			f := v.Field(i)
			name := path + f.Tag.Get("yaml")
			if f.Tag.Get("yaml") == "" {
				continue
			}
			if f.Tag.Get("yaml") == ",inline" {
				walk(f.Type, path, prefix)
				continue
			}
			if f.Type.Kind() == reflect.Struct && f.Type.PkgPath() == v.PkgPath() {
				walk(f.Type, name+".", prefix+f.Tag.Get("envPrefix"))
				continue
			}
			if !strings.Contains(doc, "`"+name+"`") {
				t.Errorf("docs/operations.md lacks `%s`", name)
			}
			if env := f.Tag.Get("env"); env != "" && !strings.Contains(doc, "`"+prefix+env+"`") {
				t.Errorf("docs/operations.md lacks `%s`", prefix+env)
			}
		}
	}
	walk(reflect.TypeFor[settings](), "", envPrefix)
}
