package sessions_test

import (
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/sessions"
	"plumbline/sessions/budgettest"
)

func TestLedger(t *testing.T) {
	budgettest.Run(t, func(t *testing.T) budgettest.Store { return new(sessions.Ledger) })
}

// Who runs for months does not keep months.
func TestLedgerSweepsItself(t *testing.T) {
	l := new(sessions.Ledger)
	for i := range 100 {
		if _, err := l.Reserve(t.Context(), "ann", noon.AddDate(0, 0, i), bot.Amount{Tokens: 1}, bot.Caps{}); err != nil {
			t.Fatal(err)
		}
	}
	for back, want := range map[int]int64{0: 1, bot.LedgerDays - 1: 1, bot.LedgerDays: 0} {
		s, err := l.Spent(t.Context(), "", noon.AddDate(0, 0, 99-back).Add(time.Hour))
		if err != nil || s.Day.Spent.Tokens != want {
			t.Errorf("%d days ago %v, %v are spent, want %d tokens", back, s.Day.Spent, err, want)
		}
	}
}
