package sqlstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/sessions/keyring"
	"plumbline/sessions/queuetest"
)

const question = "My landlord says that it is fine but it comes out brown every morning. Can my baby have it?"

// BenchmarkPut measures the time from a message's arrival to its being on disk,
// beside appending as many bytes to a file and waiting for the disk, one after
// the other: "x-bare" is how many times as long a message takes, of those that
// come at the same time together.
func BenchmarkPut(b *testing.B) {
	for _, hands := range []int{1, 64} {
		b.Run(fmt.Sprint("Hands", hands), func(b *testing.B) {
			dir := b.TempDir()
			s := openAt(b, filepath.Join(dir, "p.db"), time.Now, keyring.New(noon))
			var next atomic.Int64
			b.ResetTimer()
			var wg sync.WaitGroup
			for range hands {
				wg.Go(func() {
					for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
						person := fmt.Sprint("person ", i%500)
						m := bot.Message{ID: fmt.Sprint(i), From: bot.Address{Channel: "sms", User: person}, Text: question, At: noon}
						a := bot.Arrival{Message: m, Rules: bot.IntakeRules{
							Debounce: 3 * time.Second, Patience: 10 * time.Second, Repeat: time.Nanosecond,
							Limits: []bot.Limit{{Count: 1 << 30, Per: time.Minute}, {Count: 1 << 30, Per: 24 * time.Hour}}, Silence: time.Hour,
						}}
						if _, err := s.Put(b.Context(), person, a); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			took := b.Elapsed()
			b.StopTimer()

			f, err := os.Create(filepath.Join(dir, "bare"))
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			n := min(b.N, 2000)
			began := time.Now()
			for range n {
				if _, err := f.WriteString(question); err != nil {
					b.Fatal(err)
				}
				if err := f.Sync(); err != nil {
					b.Fatal(err)
				}
			}
			bare := time.Since(began) / time.Duration(n)
			b.ReportMetric(float64(took)/float64(b.N)/float64(bare), "x-bare")
			b.ReportMetric(float64(bare), "bare-ns")
		})
	}
}

// BenchmarkNextFinish measures one job, from its being asked for to its reply's
// being in the outbox, while few or many others wait.
func BenchmarkNextFinish(b *testing.B) {
	for _, waiting := range []int{20, 20000} {
		b.Run(fmt.Sprint("Waiting", waiting), func(b *testing.B) {
			s := openAt(b, filepath.Join(b.TempDir(), "p.db"), time.Now, keyring.New(noon))
			queuetest.Fill(b, s, waiting)
			more := waiting
			for b.Loop() {
				more++
				b.StopTimer() // as many wait as before
				m := bot.Message{ID: fmt.Sprint(more), From: bot.Address{Channel: "sms", User: "u"}, Text: question, At: noon}
				if _, err := s.Put(b.Context(), fmt.Sprint("person ", more), bot.Arrival{Message: m}); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				now := time.Now()
				j, err := s.Next(b.Context(), bot.Lease{Owner: "b", Now: now, Until: now.Add(time.Minute)})
				if err != nil {
					b.Fatal(err)
				}
				if err := s.Finish(b.Context(), j, bot.Outcome{Replies: []bot.Reply{{Text: question}}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
