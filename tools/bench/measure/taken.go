package measure

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// Taken is how soon texts are acknowledged, beside a bare handler.
type Taken struct {
	Posters       int     `json:"posters"`
	Texts         int     `json:"texts"`
	PerSecond     float64 `json:"per_second"`
	BarePerSecond float64 `json:"bare_per_second"`
	Ours          Spread  `json:"ours"`
	Bare          Spread  `json:"bare"`
	RatioP50      float64 `json:"ratio_p50"`
	RatioP99      float64 `json:"ratio_p99"`
}

func (t Taken) String() string {
	return fmt.Sprintf("%s; bare %s; ratio %.2f / %.2f", t.Ours, t.Bare, t.RatioP50, t.RatioP99)
}

// A Post sends one text of a poster, and returns how long its acknowledgement took.
type Post func(poster, text int) (time.Duration, error)

// InTurns measures acknowledgements of so many posters at once: a burst to the
// bare handler and one to ours, in three rounds, with calm after each of ours.
func InTurns(posters int, bare, ours Post, calm func() error) (t Taken, err error) {
	const rounds = 3
	var to [2]struct {
		took []time.Duration
		long time.Duration
	}
	each := max(8, 160/posters)
	for round := range rounds {
		for i, post := range []Post{bare, ours} {
			began := time.Now()
			some, err := Burst(posters, each, func(p, n int) (time.Duration, error) { return post(p, round*each+n) })
			if err != nil {
				return t, err
			}
			to[i].took, to[i].long = append(to[i].took, some...), to[i].long+time.Since(began)
		}
		if err := calm(); err != nil {
			return t, err
		}
	}
	rate := func(i int) float64 { return Round(float64(len(to[i].took)) / to[i].long.Seconds()) }
	t = Taken{Posters: posters, Texts: len(to[1].took), PerSecond: rate(1), BarePerSecond: rate(0), Ours: SpreadOf(to[1].took), Bare: SpreadOf(to[0].took)}
	t.RatioP50, t.RatioP99 = Round(t.Ours.P50/t.Bare.P50), Round(t.Ours.P99/t.Bare.P99)
	return t, nil
}

// Burst has so many posters send each so many texts, one after the other.
func Burst(posters, each int, post Post) (took []time.Duration, err error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for p := range posters {
		wg.Go(func() {
			for n := range each {
				d, e := post(p, n)
				mu.Lock()
				if e != nil {
					err = e
				} else {
					took = append(took, d)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return took, err
}

// A Bare handler puts what is posted on disk, and that is all.
type Bare struct {
	URL    string
	file   *os.File
	server *http.Server
	reply  http.HandlerFunc
}

// NewBare starts one that writes to a file and then answers by reply.
func NewBare(file string, reply http.HandlerFunc) (*Bare, error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	b := &Bare{URL: "http://" + l.Addr().String(), file: f, reply: reply}
	b.server = &http.Server{Handler: http.HandlerFunc(b.take)}
	go func() { _ = b.server.Serve(l) }()
	return b, nil
}

func (b *Bare) take(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err == nil {
		_, err = b.file.Write(text)
	}
	if err == nil {
		err = b.file.Sync()
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	b.reply(w, r)
}

// Close stops it.
func (b *Bare) Close() {
	_ = b.server.Close()
	_ = b.file.Close()
}
