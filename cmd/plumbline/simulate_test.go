package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plumbline/channels/sms/smstest"
)

// People text a service of its own process, deliveries come twice, late and out
// of order, connections break, Twilio fails, and the service is killed: nothing
// is lost or doubled, nothing is sent after a STOP was acknowledged, and no line
// of the log at debug level holds a number or a text.
func TestSimulateSMS(t *testing.T) {
	t.Parallel() // it waits for processes most of the time
	args := []string{"simulate", "sms", "--json", "--conversations", "48", "--rate", "4", "--chaos", "--kills", "2", "--seed", "11", "--keep", filepath.Join(t.TempDir(), "log")}
	if *long {
		args = []string{"simulate", "sms", "--json", "--conversations", "2000", "--rate", "6", "--chaos", "--kills", "20", "--patience", "5m"}
	}
	var out strings.Builder
	code := run(t.Context(), args, os.Getenv, stdio{In: strings.NewReader(""), Out: &out, Err: t.Output()})
	t.Log(out.String())
	var s simulation
	if err := json.Unmarshal([]byte(out.String()), &s); err != nil || code != exitDone {
		t.Fatalf("exit code %d, %v\n%s", code, err, out.String())
	}
	if s.Lost+s.Doubled+s.AfterStop+s.Logged > 0 || len(s.Faults) > 0 {
		t.Errorf("%d lost, %d doubled, %d after STOP, %d lines of the log, faults %v, want none", s.Lost, s.Doubled, s.AfterStop, s.Logged, s.Faults)
	}
	if s.Answered != s.Sent || s.Kills < 1 || s.Posts <= s.Sent || s.Vendor["repeated"] == 0 || s.Vendor["failed"] == 0 || s.LogLines < 100 || s.LatencyMS.Max == 0 {
		t.Errorf("the simulation did not happen: %s", out.String())
	}
}

// What the simulation counts, it can count.
func TestSimulationJudges(t *testing.T) {
	at := time.Now()
	text := func(body string) smstest.Text { return smstest.Text{Body: body, At: at} }
	steps := []step{{min: 2, max: 2}, {min: 1, max: 1, says: "unsubscribed"}}
	for _, tt := range []struct {
		name      string
		texts     []smstest.Text
		afterStop int
		dead      bool
		want      simulation
	}{
		{"Fine", []smstest.Text{text("a"), text("b"), text("you are unsubscribed")}, 1, false, simulation{}},
		{"Lost", []smstest.Text{text("a"), text("you are unsubscribed")}, 1, false, simulation{Lost: 1}},
		{"Other", []smstest.Text{text("a"), text("b"), text("c")}, 1, false, simulation{Lost: 1}},
		{"Twice", []smstest.Text{text("a"), text("a"), text("b"), text("you are unsubscribed")}, 1, false, simulation{Doubled: 1}},
		{"TwiceForAnother", []smstest.Text{text("a"), text("a"), text("you are unsubscribed")}, 1, false, simulation{Doubled: 1, Lost: 1}},
		{"TooMany", []smstest.Text{text("a"), text("b"), text("c"), text("you are unsubscribed")}, 1, false, simulation{Doubled: 1}},
		{"AfterStop", []smstest.Text{text("a"), text("b"), text("you are unsubscribed")}, 2, false, simulation{AfterStop: 1}},
		{"Dead", nil, 0, true, simulation{}},
		{"DeadTwice", []smstest.Text{text("a"), text("a")}, 0, true, simulation{Doubled: 1}},
	} {
		var got simulation
		v := &talk{script: script{"test", steps}, dead: tt.dead, min: 3, max: 3, stops: 1}
		v.judge(tt.texts, tt.afterStop, &got)
		if got.Lost != tt.want.Lost || got.Doubled != tt.want.Doubled || got.AfterStop != tt.want.AfterStop {
			t.Errorf("%s: %d lost, %d doubled, %d after STOP; want %d, %d, %d", tt.name, got.Lost, got.Doubled, got.AfterStop, tt.want.Lost, tt.want.Doubled, tt.want.AfterStop)
		}
		if got.wrong() != (tt.want.Lost+tt.want.Doubled+tt.want.AfterStop > 0) {
			t.Errorf("%s: wrong %t", tt.name, got.wrong())
		}
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, line := range []string{"took=1.5ms", "from=sms:55501a", "to=+12025550142", "id=2025550142", "text \"does boiling water remove lead\"", "err=\"202-555-0142 is\"", simToken, "5550142abc"} {
		f.WriteString(line + "\n")
	}
	if lines, bad := (&simService{log: f}).read(); lines != 8 || bad != 5 {
		t.Errorf("read %d lines, %d with a number or a text; want 8, 5", lines, bad)
	}
	if a, b := testNumber(0), testNumber(12345); a != "+12025550100" || b != "+13255550145" {
		t.Errorf("test numbers %s and %s", a, b)
	}
}
