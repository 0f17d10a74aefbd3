package bot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/sessions"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// An oracle answers with what it was asked.
type oracle struct {
	edit  func(*bot.Answer) // of each answer; nil for none
	asked []bot.Question
	route bot.Route // an emergency's
	err   error
}

func (o *oracle) Answer(_ context.Context, q bot.Question) (bot.Answer, error) {
	o.asked = append(o.asked, q)
	a := bot.Answer{
		ID: q.ID, Status: bot.Answered, Language: bot.English,
		Reply:  bot.Reply{Text: "about " + q.Text, More: []string{"one", "two"}, Why: []string{"why"}, Sources: []string{"s1", "s2"}, Language: bot.English, Status: bot.Answered, Answer: q.ID},
		Chunks: []bot.Chunk{{ID: "kept", Kept: true}, {ID: "dropped"}},
	}
	if o.route != "" {
		a.Status, a.Route, a.Reply.More = bot.Emergency, o.route, nil
	}
	if o.edit != nil {
		o.edit(&a)
		a.Reply.Status = a.Status
	}
	return a, o.err
}

func (o *oracle) last() bot.Question { return o.asked[len(o.asked)-1] }

// A chat is one person's conversation with an oracle.
type chat struct {
	t     *testing.T
	o     *oracle
	c     *bot.Conversation
	store *sessions.Memory
	now   time.Time
	n     int
}

func newChat(t *testing.T) *chat {
	ch := &chat{t: t, o: new(oracle), store: new(sessions.Memory), now: noon}
	ch.c = &bot.Conversation{
		Answerer: ch.o, House: bot.House{Name: "Test Line", Phone: "973-555-0199", KeepDays: 365},
		Urgent: func(text string) bool { return strings.Contains(text, "pills") },
		Asked: func(text string) (persona, rest string, ok bool) {
			rest, ok = strings.CutPrefix(text, "like city hall")
			return "cityhall", rest, ok
		},
		Introduce: func(channel string) bool { return channel == "sms" },
		Now:       func() time.Time { return ch.now }, Late: 10 * time.Minute,
	}
	return ch
}

func (ch *chat) job(user, text string) bot.Job {
	ch.n++
	m := bot.Message{ID: fmt.Sprint(ch.n), From: bot.Address{Channel: "sms", User: user}, Text: text, At: ch.now}
	s, err := ch.store.Load(ch.t.Context(), user)
	if err != nil {
		ch.t.Fatal(err)
	}
	word, _ := bot.Hear(text)
	j := bot.Job{Person: user, Message: m, Word: word, Joined: 1, Tries: 1, Received: ch.now, Session: s}
	return ch.decided(j, false)
}

// decided is j as an inbox hands it out that knew whether its person had opted
// out when it came.
func (ch *chat) decided(j bot.Job, out bool) bot.Job {
	j.Decided = bot.Arrival{Message: j.Message, Word: j.Word, Urgent: ch.c.Urgent(j.Message.Text)}.Decides(out)
	j.OptedOut = j.Decided == bot.OptOut || out && j.Decided != bot.OptIn
	return j
}

// decide decides on j and remembers what the outcome says.
func (ch *chat) decide(j bot.Job) bot.Outcome {
	ch.t.Helper()
	o, err := ch.c.Decide(ch.t.Context(), j)
	if err != nil {
		ch.t.Fatalf("Decide(%q): %v", j.Message.Text, err)
	}
	if o.Forget {
		_ = ch.store.Forget(ch.t.Context(), j.Person)
	}
	if o.Remember != nil {
		if err := ch.store.Update(ch.t.Context(), j.Person, o.Remember); err != nil {
			ch.t.Fatal(err)
		}
	}
	return o
}

// say is what the first reply to text says.
func (ch *chat) say(text string) string {
	ch.t.Helper()
	return first(ch.decide(ch.job("ann", text)))
}

func first(o bot.Outcome) string {
	if len(o.Replies) == 0 {
		return ""
	}
	return o.Replies[0].Text
}

func TestConversationWords(t *testing.T) {
	ch := newChat(t)
	for i, tt := range []struct {
		text, want string
		asked      int // questions asked in all
	}{
		{"MORE", "You have not asked me anything yet. Text me your question.", 0},
		{"is lead bad", "about is lead bad", 1},
		{"more", "one", 1},
		{"¡MÁS!", "two", 1},
		{"More.", "That is all I have on that. Text me another question.", 1},
		{"why?", "why", 1},
		{"SOURCES", "s1", 1},
		{"more", "s2", 1},
		{"tell me more about lead", "about tell me more about lead", 2},
		{"WHY", "why", 2},
		{"more", "one", 2}, // WHY does not lose what MORE had
		{"yes", "about yes", 3},
		{"STOP", "Test Line: you are unsubscribed", 3},
		{"how do i stop lead", "about how do i stop lead", 4},
		{"HELP", "Is someone in danger? Call 911 now.", 4},
		{"who is this", "This is Test Line's line. I am a computer, not a person.", 4},
		{"will you tell my landlord", "Staff of Test Line can read this chat", 4},
		{"will you tell my mom i took all the pills", "about will you tell my mom i took all the pills", 5},
		{"PERSON", "I marked this chat for Test Line's staff", 5},
		{"my data", "I keep what you ask and what I answer, without names or numbers, for 12 months.", 5},
		{"  ", "Your text reached me with no words in it.", 5},
	} {
		if got := ch.say(tt.text); !strings.HasPrefix(got, tt.want) || len(ch.o.asked) != tt.asked {
			t.Errorf("%d: %q is answered %q after %d questions; want %q after %d", i, tt.text, got, len(ch.o.asked), tt.want, tt.asked)
		}
	}
	if got := first(ch.decide(ch.job("bob", "MORE"))); got == "one" || got == "two" {
		t.Errorf("someone else's MORE gets %q", got)
	}
}

func TestConversationEffects(t *testing.T) {
	ch := newChat(t)
	for _, tt := range []struct {
		text string
		want bot.Outcome
	}{
		{"STOP", bot.Outcome{Despite: true}},
		{"alto", bot.Outcome{Despite: true}},
		{"start", bot.Outcome{}}, // not opted out: nothing to restore
		{"forget me", bot.Outcome{Forget: true}},
		{"quiero hablar con una persona", bot.Outcome{Review: "asked for a person"}},
	} {
		o := ch.decide(ch.job("ann", tt.text))
		if o.Consent != tt.want.Consent || o.Despite != tt.want.Despite || o.Forget != tt.want.Forget || o.Review != tt.want.Review {
			t.Errorf("%q: consent %q, despite %t, forget %t, review %q; want %q, %t, %t, %q", tt.text, o.Consent, o.Despite, o.Forget, o.Review, tt.want.Consent, tt.want.Despite, tt.want.Forget, tt.want.Review)
		}
		if o.Answer == nil || len(o.Answer.Claims) != 1 || o.Answer.Claims[0].Evidence[0].Quote != o.Replies[0].Text {
			t.Errorf("%q: the answer does not cite the fixed text", tt.text)
		}
	}
}

// To someone who opted out nothing is sent, an emergency aside that staff see,
// until START.
func TestConversationOptedOut(t *testing.T) {
	ch := newChat(t)
	out := func(text string) bot.Outcome {
		return ch.decide(ch.decided(ch.job("ann", text), true))
	}
	for _, text := range []string{"is lead bad", "HELP", "STOP", "MORE", "forget me", ""} {
		if o := out(text); len(o.Replies) > 0 || o.Consent != "" || len(ch.o.asked) > 0 {
			t.Errorf("%q of a person who opted out is answered %q", text, first(o))
		}
	}
	if o := out("i took pills"); len(o.Replies) > 0 || o.Review == "" {
		t.Errorf("an emergency of a person who opted out is answered %q, review %q; want nothing sent and a review", first(o), o.Review)
	}
	for _, text := range []string{"START", "yes", "Sí", "empezar"} {
		if o := out(text); len(o.Replies) != 1 || !strings.Contains(o.Replies[0].Text, "you are back") && !strings.Contains(o.Replies[0].Text, "ya puede recibir") {
			t.Errorf("%q of a person who opted out is answered %q, want that they are back", text, first(o))
		}
	}
	ch.o.route = "self_harm"
	ch.say("i took pills")
	if o := out("START"); len(o.Replies) != 2 || o.Replies[1].Text != "about i took pills" {
		t.Errorf("START soon after an emergency sends %d texts, want that one is back and the emergency's again", len(o.Replies))
	}
}

// A vendor that heard a keyword has answered it: we do not answer it again, but
// for an emergency's text that is due once more.
func TestConversationHeardByTheVendor(t *testing.T) {
	ch := newChat(t)
	ch.say("is lead bad")
	hear := func(text string, heard bot.Word, out bool) bot.Outcome {
		j := ch.job("ann", text)
		j.Message.Heard = heard
		return ch.decide(ch.decided(j, out))
	}
	for _, tt := range []struct {
		text  string
		heard bot.Word
		out   bool
	}{{"sToP", bot.WordStop, false}, {"STOP", bot.WordStop, true}, {"START", bot.WordStart, true}, {"yes", bot.WordStart, true}, {"START", bot.WordStart, false}, {"HELP", bot.WordHelp, false}} {
		if o := hear(tt.text, tt.heard, tt.out); len(o.Replies) > 0 || len(ch.o.asked) != 1 {
			t.Errorf("%q that the vendor heard as %q is answered %q", tt.text, tt.heard, first(o))
		}
	}
	if o := hear("yes", bot.WordStart, false); first(o) != "about yes" {
		t.Errorf("a yes to us that the vendor takes for START gets %q, want an answer", first(o))
	}
	ch.o.route = "self_harm"
	ch.say("i took pills")
	for _, tt := range []struct {
		text  string
		heard bot.Word
		out   bool
	}{{"HELP", bot.WordHelp, false}, {"START", bot.WordStart, true}} {
		if o := hear(tt.text, tt.heard, tt.out); len(o.Replies) != 1 || first(o) != "about i took pills" {
			t.Errorf("%s soon after an emergency gets %q, want its text again", tt.text, first(o))
		}
	}
}

// Where a message may ask us to stop, the person is asked once.
func TestConversationUnsureStop(t *testing.T) {
	for _, tt := range []struct {
		texts []string // said after "no thanks"
		want  string   // the reply to the last
		out   bool
	}{
		{nil, "Do you want no more texts from Test Line?", false},
		{[]string{"yes"}, "Test Line: you are unsubscribed", true},
		{[]string{"no thanks"}, "Test Line: you are unsubscribed", true},
		{[]string{"is lead bad"}, "about is lead bad", false},
		{[]string{"is lead bad", "yes"}, "about yes", false},
		{[]string{"is lead bad", "no thanks"}, "Do you want no more texts from Test Line?", false},
	} {
		ch := newChat(t)
		var o bot.Outcome
		for _, text := range append([]string{"no thanks"}, tt.texts...) {
			o = ch.decide(ch.job("ann", text))
		}
		if !strings.HasPrefix(first(o), tt.want) || (o.Consent == bot.OptOut) != tt.out || o.Despite != tt.out {
			t.Errorf("after an unclear opt-out, %q gets %q, consent %q, despite %t; want %q, opted out %t", tt.texts, first(o), o.Consent, o.Despite, tt.want, tt.out)
		}
	}
}

// "No thanks" to what we offered or asked is an answer.
func TestConversationDeclines(t *testing.T) {
	for _, s := range []bot.Session{{Offer: &bot.Offer{Pack: "other"}}, {Clarify: "whose-test"}} {
		ch := newChat(t)
		j := ch.job("ann", "no thanks")
		j.Session = s
		if got := first(ch.decide(j)); got != "about no thanks" {
			t.Errorf("no thanks after %+v gets %q, want an answer", s, got)
		}
	}
}

func TestConversationMedia(t *testing.T) {
	const note = "I can't see pictures or hear recordings."
	ch := newChat(t)
	show := func(text string) bot.Outcome {
		j := ch.job("ann", text)
		j.Message.Media = []bot.Medium{bot.Image}
		return ch.decide(j)
	}
	for _, text := range []string{"", " "} {
		if o := show(text); len(o.Replies) != 1 || !strings.HasPrefix(first(o), note) {
			t.Errorf("a picture with %q gets %q", text, first(o))
		}
	}
	if o := show("is this safe"); len(o.Replies) < 2 || first(o) != "about is this safe" || !strings.HasPrefix(o.Replies[1].Text, note) {
		t.Errorf("a picture with a question gets %+v, want the answer and then that nobody looks at pictures", o.Replies)
	}
	ch.o.route = "self_harm"
	if o := show("i took pills"); len(o.Replies) != 1 {
		t.Errorf("a picture with an emergency gets %d texts, want the emergency's alone", len(o.Replies))
	}
	asked := len(ch.o.asked)
	for _, text := range []string{"😢", "🚰🚰", "...", "👍🏽", "!!!"} {
		if got := ch.say(text); !strings.HasPrefix(got, "Your text reached me with no words in it.") || len(ch.o.asked) != asked {
			t.Errorf("%q gets %q", text, got)
		}
	}
	if got := ch.say("?"); got != "about ?" {
		t.Errorf("? gets %q, want it asked", got)
	}
}

func TestConversationWrites(t *testing.T) {
	ch := newChat(t)
	ch.c.Write = func(channel string, r bot.Reply) bot.Reply { r.Text = channel + ": " + r.Text; return r }
	if got := ch.say("STOP"); !strings.HasPrefix(got, "sms: Test Line") {
		t.Errorf("STOP gets %q, want it written for the channel", got)
	}
	if got := ch.say("is lead bad"); got != "about is lead bad" {
		t.Errorf("a question gets %q, want the answer as it was composed", got)
	}
}

// Soon after an emergency its text comes again where an answer would miss what
// the person says, and not where they ask about something else.
func TestConversationBesideACrisis(t *testing.T) {
	for _, tt := range []struct {
		text  string
		at    time.Duration // after the emergency
		edit  func(*bot.Answer)
		again bool
	}{
		{"what now", time.Minute, nil, true},
		{"bleach", time.Second, nil, true}, // a piece of what was said
		{"bleach", 10 * time.Minute, nil, false},
		{"how long do i wait", time.Minute, func(a *bot.Answer) { a.Reply.Text = "Run the tap for 5 minutes." }, true},
		{"can i give him milk", time.Minute, func(a *bot.Answer) { a.Status = bot.NotInSources }, true},
		{"can i give him milk", 31 * time.Minute, func(a *bot.Answer) { a.Status = bot.NotInSources }, false},
		{"is brown water safe to drink", time.Minute, nil, false},
		{"he keeps throwing up", time.Minute, func(a *bot.Answer) {
			a.Status, a.Route, a.Trace = bot.Emergency, "violence", &bot.Trace{Safety: &bot.SafetyRecord{Rules: []bot.RuleMatch{{Rule: "cues.violence", Learned: true}}}}
		}, true},
		{"he hits me", time.Minute, func(a *bot.Answer) {
			a.Status, a.Route, a.Trace = bot.Emergency, "violence", &bot.Trace{Safety: &bot.SafetyRecord{Rules: []bot.RuleMatch{{Rule: "violence.hit"}}}}
		}, false},
		{"he went limp", time.Minute, func(a *bot.Answer) {
			a.Status, a.Route, a.Trace = bot.Emergency, "life_threat", &bot.Trace{Safety: &bot.SafetyRecord{Rules: []bot.RuleMatch{{Rule: "cues.life_threat", Learned: true}}}}
		}, false},
	} {
		ch := newChat(t)
		ch.c.Grave = []bot.Route{"life_threat", "swallowed", "violence"}
		ch.o.route = "swallowed"
		ch.say("i took pills")
		ch.o.route, ch.o.edit = "", tt.edit
		ch.now = ch.now.Add(tt.at)
		if got := ch.say(tt.text); (got == "about i took pills") != tt.again {
			t.Errorf("%v after an emergency %q gets %q, want the emergency's text again: %t", tt.at, tt.text, got, tt.again)
		}
	}
}

// An emergency of somebody who opted out is told once they are back.
func TestConversationEmergencyWhileOut(t *testing.T) {
	ch := newChat(t)
	ch.o.route = "self_harm"
	if o := ch.decide(ch.decided(ch.job("ann", "i took pills"), true)); len(o.Replies) > 0 || o.Review == "" || o.Answer == nil {
		t.Errorf("an emergency while out gets %q, review %q", first(o), o.Review)
	}
	if o := ch.decide(ch.decided(ch.job("ann", "START"), true)); len(o.Replies) != 2 || o.Replies[1].Text != "about i took pills" {
		t.Errorf("START after it sends %d texts, want that they are back and the emergency's", len(o.Replies))
	}
}

// What a phone says in place of a sign that somebody put to a text gets nothing.
func TestConversationReactions(t *testing.T) {
	ch := newChat(t)
	for _, text := range []string{"Liked “This is Test Line's line.”", `Loved "Call 911 now."`, "👍 to “Call 911 now.”", "Emphasized “i took pills”", "Removed a heart from “x”", "Reacted 😢 to “x”", "Le gustó “Hola”", "No le gustó “Hola”"} {
		if o := ch.decide(ch.job("ann", text)); len(o.Replies) > 0 || len(ch.o.asked) > 0 {
			t.Errorf("%q gets %q", text, first(o))
		}
	}
	for _, text := range []string{"i liked “the water” yesterday", "Liked it"} {
		if got := ch.say(text); got != "about "+text {
			t.Errorf("%q gets %q, want an answer", text, got)
		}
	}
}

func TestConversationCrisis(t *testing.T) {
	ch := newChat(t)
	ch.o.route = "self_harm"
	ch.say("i took pills")
	ch.o.route = ""
	ch.say("what about lead")
	for _, text := range []string{"HELP", "ayuda", "START", "yes", "Si"} {
		if got := ch.say(text); got != "about i took pills" {
			t.Errorf("%q after an emergency is answered %q, want its text again", text, got)
		}
	}
	ch.now = noon.Add(31 * time.Minute)
	if got := ch.say("HELP"); !strings.HasPrefix(got, "Is someone in danger?") {
		t.Errorf("HELP after half an hour is answered %q", got)
	}
}

func TestConversationVoiceAndLanguage(t *testing.T) {
	ch := newChat(t)
	ch.say("is lead bad")
	if got := ch.say("like city hall"); got != "about is lead bad" || ch.o.last().Persona != "cityhall" || len(ch.o.last().History) != 0 {
		t.Errorf("a voice asked for alone gets %q in %q, want the last answer in it", got, ch.o.last().Persona)
	}
	if got := ch.say("en español por favor"); got != "about is lead bad" || ch.o.last().Language != bot.Spanish || ch.o.last().Persona != "cityhall" {
		t.Errorf("a language asked for gets %q in %q, want the last answer in it", got, ch.o.last().Language)
	}
	ch.say("and for kids, what does it do")
	if q := ch.o.last(); q.Language != bot.Spanish || q.Persona != "cityhall" || len(q.History) != 1 {
		t.Errorf("the next question is asked in %q, %q after %d turns; want what was chosen, after one", q.Language, q.Persona, len(q.History))
	}
	if got := ch.say("like city hall: who pays"); got != "about : who pays" {
		t.Errorf("a voice and a question get %q", got)
	}
	if got := first(ch.decide(ch.job("bob", "ESPAÑOL"))); got != "Bueno, le respondo en español. Para inglés mande ENGLISH." {
		t.Errorf("a language before any question gets %q", got)
	}
	if got := first(ch.decide(ch.job("bob", "STOP"))); !strings.HasPrefix(got, "Test Line: ya no va a recibir") {
		t.Errorf("STOP of someone who chose Spanish gets %q", got)
	}
}

// A new person is told who this is, after the first answer, never beside an
// emergency.
func TestConversationIntroduces(t *testing.T) {
	ch := newChat(t)
	newcomer := func(text string) bot.Outcome {
		j := ch.job("ann", text)
		j.New = true
		return ch.decide(j)
	}
	ch.o.route = "self_harm"
	if o := newcomer("i took pills"); len(o.Replies) != 1 || o.Told {
		t.Errorf("an emergency gets %d replies, told %t; want one, not told", len(o.Replies), o.Told)
	}
	ch.o.route = ""
	if o := newcomer("is lead bad for us"); len(o.Replies) != 2 || !o.Told || !strings.HasPrefix(o.Replies[1].Text, "This is Test Line's automated water line") {
		t.Errorf("a first question gets %d replies, told %t; want the answer and the notice", len(o.Replies), o.Told)
	}
}

func TestConversationLimitsAndFailures(t *testing.T) {
	ch := newChat(t)
	j := ch.job("ann", "is lead bad")
	j.Receipt = bot.Limited
	if got := first(ch.decide(j)); !strings.HasPrefix(got, "That is more texts than I can answer") {
		t.Errorf("past a limit: %q", got)
	}
	j = ch.job("ann", "i took pills")
	j.Receipt, j.Urgent = bot.Limited, true
	if got := first(ch.decide(j)); got != "about i took pills" {
		t.Errorf("an emergency past a limit: %q", got)
	}
	j = ch.job("ann", "is lead bad")
	j.Tries = 6
	if o := ch.decide(j); o.Parked == "" || o.Answer.Status != bot.TechnicalFailure || strings.Contains(o.Parked, "lead") {
		t.Errorf("after five tries: parked %q, status %q; want it given up as our failure", o.Parked, o.Answer.Status)
	}
	j = ch.job("ann", "is lead bad")
	ch.now = noon.Add(11 * time.Minute)
	if o := ch.decide(j); len(o.Replies) != 2 || !strings.HasPrefix(o.Replies[0].Text, "Sorry for the delay.") {
		t.Errorf("a late answer begins %q", first(o))
	}
	j = ch.job("ann", "")
	j.Message.Media = []bot.Medium{bot.Image}
	if got := first(ch.decide(j)); !strings.HasPrefix(got, "I can't see pictures") {
		t.Errorf("a picture alone: %q", got)
	}
	ch.o.err = errors.New("down")
	if _, err := ch.c.Decide(t.Context(), ch.job("+19735550100", "again")); !errors.Is(err, ch.o.err) || strings.Contains(err.Error(), "555") || strings.Contains(err.Error(), "again") {
		t.Errorf("Decide = %v, want the answerer's error without the address and the words", err)
	}
}

func TestConversationRemembers(t *testing.T) {
	ch := newChat(t)
	for i := range 9 {
		ch.say(fmt.Sprintf("question %d from Dr. Ann Lee, 973-555-0123 %s", i, strings.Repeat("x", 500)))
	}
	ch.say("and again")
	last := ch.o.last()
	if n := len(last.History); n != 4 || !strings.HasPrefix(last.History[3].Asked, "question 8 ") || len(last.History[3].Asked) > 240 {
		t.Errorf("history has %d turns: %+v; want the last four, cut to 240", n, last.History)
	}
	if strings.Contains(last.History[3].Asked, "555") || !strings.Contains(last.History[3].Asked, "[PHONE]") {
		t.Errorf("history holds %q, want no personal details", last.History[3].Asked)
	}
	if !slices.Contains(last.Seen, "kept") || slices.Contains(last.Seen, "dropped") || len(last.Seen) > 24 {
		t.Errorf("seen = %q, want only what was kept, at most 24", last.Seen)
	}
}

// Neither a log nor a format verb shows whom a message is from or what it says.
func TestMessagesAreNotLogged(t *testing.T) {
	m := bot.Message{ID: "m1", From: bot.Address{Channel: "sms", User: "+19735550123"}, Text: "my kid is sick"}
	var out bytes.Buffer
	for _, log := range []*slog.Logger{slog.New(slog.NewTextHandler(&out, nil)), slog.New(slog.NewJSONHandler(&out, nil))} {
		log.Info("x", "message", m, "from", m.From)
	}
	fmt.Fprintf(&out, "%v %+v %#v %s", m.From, m.From, m.From, m.From)
	for _, shown := range []string{"5550123", "my kid"} {
		if strings.Contains(out.String(), shown) {
			t.Errorf("%q shows in %s", shown, &out)
		}
	}
	if !strings.Contains(out.String(), "m1") || !strings.Contains(out.String(), "sms:") {
		t.Errorf("the log ties nothing together: %s", &out)
	}
	other := bot.Address{Channel: "sms", User: "+19735550124"}
	if m.From.LogValue().String() == other.LogValue().String() || m.From.Key() == other.Key() {
		t.Error("two people look alike")
	}
}

func TestStatuses(t *testing.T) {
	supported := 0
	for _, s := range bot.Statuses() {
		if s.Supported() {
			supported++
		}
	}
	if n := len(bot.Statuses()); n != 9 || supported != 3 {
		t.Errorf("%d rungs, %d of them supported; want 9 and 3", n, supported)
	}
}
