package sqlstore_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"plumbline/bot"
)

var boil = bot.Notice{
	ID: "n1", Kind: "notice_boil", Area: "Newark", Start: noon, Expires: noon.Add(24 * time.Hour), By: "Ann",
	Text:   map[bot.Language]string{bot.English: "Boil your water.", bot.Spanish: "Hierva el agua."},
	Source: bot.Source{Agency: "City", Title: "Notice", Date: "2026-11-30"},
}

func inForce(t *testing.T, st interface {
	bot.NoticeBoard
}, at time.Time) (list []string) {
	t.Helper()
	ns, err := st.InForce(t.Context(), at)
	if err != nil {
		t.Fatalf("InForce: %v", err)
	}
	for _, n := range ns {
		list = append(list, n.ID)
	}
	return list
}

func TestNotices(t *testing.T) {
	st := open(t)
	if err := st.PostNotice(t.Context(), boil); err != nil {
		t.Fatal(err)
	}
	if err := st.PostNotice(t.Context(), boil); !errors.Is(err, bot.ErrConflict) {
		t.Errorf("PostNotice twice = %v, want ErrConflict", err)
	}
	later := boil
	later.ID, later.Start, later.Expires = "n2", noon.Add(time.Hour), noon.Add(2*time.Hour)
	if err := st.PostNotice(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		after time.Duration
		want  []string
	}{
		{-time.Second, nil}, {0, []string{"n1"}}, {time.Hour, []string{"n2", "n1"}}, {2 * time.Hour, []string{"n1"}}, {24 * time.Hour, nil},
	} {
		if got := inForce(t, st, noon.Add(tt.after)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("in force after %v: %q, want %q", tt.after, got, tt.want)
		}
	}
	got, err := st.InForce(t.Context(), noon)
	if err != nil || !reflect.DeepEqual(got, []bot.Notice{boil}) {
		t.Errorf("InForce = %+v, %v; want %+v", got, err, boil)
	}
	lapsed := func(after, within time.Duration) (list []string) {
		t.Helper()
		ns, err := st.Lapsed(t.Context(), noon.Add(after), within)
		if err != nil {
			t.Fatalf("Lapsed: %v", err)
		}
		for _, n := range ns {
			list = append(list, n.ID)
		}
		return list
	}
	for _, tt := range []struct {
		after, within time.Duration
		want          []string
	}{
		{time.Hour, time.Hour, nil}, {2 * time.Hour, time.Hour, []string{"n2"}}, {3*time.Hour + time.Second, time.Hour, nil}, {24 * time.Hour, 24 * time.Hour, []string{"n2", "n1"}},
	} {
		if got := lapsed(tt.after, tt.within); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("lapsed within %v before %v: %q, want %q", tt.within, tt.after, got, tt.want)
		}
	}
	if err := st.EndNotice(t.Context(), "n1", "Bob"); err != nil {
		t.Fatal(err)
	}
	if got := lapsed(time.Minute, time.Hour); !reflect.DeepEqual(got, []string{"n1"}) {
		t.Errorf("lapsed after its end: %q, want n1", got)
	}
	if got := inForce(t, st, noon); got != nil {
		t.Errorf("in force after its end: %q", got)
	}
	if err := st.EndNotice(t.Context(), "n1", "Bob"); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("EndNotice twice = %v, want ErrNotFound", err)
	}
	all, err := st.Notices(t.Context())
	if err != nil || len(all) != 2 || all[1].EndedBy != "Bob" || !all[1].Ended.Equal(noon) {
		t.Errorf("Notices = %+v, %v; want both, the first ended by Bob", all, err)
	}
}

func TestNoticesRefused(t *testing.T) {
	st := open(t)
	for name, change := range map[string]func(*bot.Notice){
		"NoKind":    func(n *bot.Notice) { n.Kind = "" },
		"NoBy":      func(n *bot.Notice) { n.By = "" },
		"NoSpanish": func(n *bot.Notice) { n.Text = map[bot.Language]string{bot.English: "x"} },
		"TooLong":   func(n *bot.Notice) { n.Expires = n.Start.Add(72*time.Hour + 1) },
		"Backward":  func(n *bot.Notice) { n.Expires = n.Start },
	} {
		n := boil
		change(&n)
		if err := st.PostNotice(t.Context(), n); !errors.Is(err, bot.ErrInvalid) {
			t.Errorf("%s: PostNotice = %v, want ErrInvalid", name, err)
		}
	}
}
