// Package measure has what the benchmarks of the service share: they run it as a
// process of its own and compare it with a bare handler, in turns on one machine.
package measure

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Patience is how long to wait for one reply.
const Patience = 60 * time.Second

// Client follows no redirect: that a text was taken is told by a status.
var Client = &http.Client{
	Transport:     &http.Transport{MaxIdleConnsPerHost: 1024},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// A Machine is what else the figures depend on.
type Machine struct {
	Processors int    `json:"processors"`
	Load       string `json:"load"` // average of 1, 5 and 15 minutes before the run; empty where the system does not say
}

// ThisMachine describes the machine as it is now.
func ThisMachine() Machine {
	m := Machine{Processors: runtime.NumCPU()}
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.Load = strings.Join(strings.Fields(string(b))[:3], " ")
	}
	return m
}

func (m Machine) String() string {
	return fmt.Sprintf("%d processors, load average %s", m.Processors, m.Load)
}

// A Spread is how durations lie, in milliseconds.
type Spread struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

func (s Spread) String() string { return fmt.Sprintf("%.1f ms (p99 %.1f)", s.P50, s.P99) }

// SpreadOf takes the nearest ranks.
func SpreadOf(took []time.Duration) (s Spread) {
	if len(took) == 0 {
		return s
	}
	slices.Sort(took)
	at := func(share float64) float64 { return MS(took[int(math.Ceil(share*float64(len(took))))-1]) }
	return Spread{at(0.5), at(0.99), at(1)}
}

// MS is d in milliseconds.
func MS(d time.Duration) float64 { return Round(float64(d) / float64(time.Millisecond)) }

// Round keeps two digits after the point.
func Round(f float64) float64 { return math.Round(f*100) / 100 }

// Line writes a line of a report.
func Line(w io.Writer, name, format string, args ...any) {
	fmt.Fprintf(w, "%-34s "+format+"\n", append([]any{name}, args...)...)
}

// Texts reads the texts of the rows of a JSONL file that want takes.
func Texts[R any](file string, want func(R) (string, bool)) (list []string, err error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for sc := bufio.NewScanner(bytes.NewReader(b)); sc.Scan(); {
		var r R
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if text, ok := want(r); ok {
			list = append(list, text)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no text in it can be used", file)
	}
	return list, nil
}
