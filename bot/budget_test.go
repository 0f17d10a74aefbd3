package bot_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"plumbline/bot"
)

func TestAlarms(t *testing.T) {
	peaks := func(person, day bot.Amount) bot.Sums {
		return bot.Sums{Person: bot.Tally{Peak: person}, Day: bot.Tally{Peak: day}}
	}
	tokens := func(n int64) bot.Amount { return bot.Amount{Tokens: n} }
	day := func(n int64) bot.Sums { return peaks(bot.Amount{}, tokens(n)) }
	caps := bot.Caps{Person: tokens(10), Day: bot.Amount{Tokens: 1000, Micros: 100}}
	day80, day100 := bot.Alarm{Cap: bot.DayCap, Percent: 80}, bot.Alarm{Cap: bot.DayCap, Percent: 100}
	person80, person100 := bot.Alarm{Cap: bot.PersonCap, Percent: 80}, bot.Alarm{Cap: bot.PersonCap, Percent: 100}
	for _, tt := range []struct {
		name          string
		before, after bot.Sums
		caps          bot.Caps
		want          []bot.Alarm
	}{
		{"Below", day(0), day(799), caps, nil},
		{"Reaches80", day(799), day(800), caps, []bot.Alarm{day80}},
		{"Above80", day(800), day(999), caps, nil},
		{"Reaches100", day(999), day(1000), caps, []bot.Alarm{day100}},
		{"Above100", day(1000), day(2000), caps, nil},
		{"BothAtOnce", day(0), day(1000), caps, []bot.Alarm{day80, day100}},
		{"NoStep", day(900), day(900), caps, nil},
		{"Money", day(0), peaks(bot.Amount{}, bot.Amount{Micros: 80}), caps, []bot.Alarm{day80}},
		{"TheOtherPartIsNotToldAgain", day(800), peaks(bot.Amount{}, bot.Amount{Tokens: 800, Micros: 80}), caps, nil},
		{"Person", peaks(tokens(7), tokens(7)), peaks(tokens(8), tokens(8)), caps, []bot.Alarm{person80}},
		{"PersonAndDay", peaks(tokens(7), tokens(799)), peaks(tokens(10), tokens(802)), caps, []bot.Alarm{person80, person100, day80}},
		{"NoCaps", day(0), day(1 << 50), bot.Caps{}, nil},
		{"PartOfAToken", day(2), day(3), bot.Caps{Day: tokens(3)}, []bot.Alarm{day80, day100}},
		{"LargestCap", day(bot.MaxAmount - 1), day(bot.MaxAmount), bot.Caps{Day: tokens(bot.MaxAmount)}, []bot.Alarm{day100}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := bot.Alarms(tt.before, tt.after, tt.caps); !slices.Equal(got, tt.want) {
				t.Errorf("Alarms(%+v, %+v) = %v, want %v", tt.before, tt.after, got, tt.want)
			}
		})
	}
}

func TestWithin(t *testing.T) {
	limit := bot.Amount{Tokens: 10, Micros: 20}
	for _, tt := range []struct {
		a, limit bot.Amount
		want     bool
	}{
		{bot.Amount{Tokens: 10, Micros: 20}, limit, true},
		{bot.Amount{Tokens: 11}, limit, false},
		{bot.Amount{Micros: 21}, limit, false},
		{bot.Amount{Tokens: 11}, bot.Amount{Micros: 20}, true},
		{bot.Amount{Micros: 21}, bot.Amount{Tokens: 10}, true},
		{bot.Amount{Tokens: 1, Micros: 1}, bot.Amount{}, true},
	} {
		if got := tt.a.Within(tt.limit); got != tt.want {
			t.Errorf("%v within %v = %t, want %t", tt.a, tt.limit, got, tt.want)
		}
	}
}

func TestSpentError(t *testing.T) {
	caps := bot.Caps{Day: bot.Amount{Tokens: 1000, Micros: 2_000_000}}
	s, err := bot.Sums{}.Reserve("ann", bot.Amount{Tokens: 990, Micros: 1_012_500}, caps)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Reserve("ann", bot.Amount{Tokens: 20, Micros: 1}, caps)
	const want = "the budget of the day is used up: 990 tokens and $1.012500 of 1000 tokens and $2.000000, and 20 tokens and $0.000001 more are wanted"
	if !errors.Is(err, bot.ErrExhausted) || err.Error() != want {
		t.Errorf("Reserve = %v, want ErrExhausted: %s", err, want)
	}
}

func TestDayOf(t *testing.T) {
	at := time.Date(2026, 11, 30, 20, 0, 0, 0, time.FixedZone("", -5*3600))
	if got, err := bot.DayOf(at); err != nil || !got.Equal(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)) || got.Location() != time.UTC {
		t.Errorf("DayOf(%v) = %v, %v, want the first of December", at, got, err)
	}
	if _, err := bot.DayOf(time.Time{}); !errors.Is(err, bot.ErrInvalid) {
		t.Errorf("DayOf(zero) = %v, want ErrInvalid", err)
	}
}
