// Command flat-vs-redisearch times exact top-10 search over the same vectors by
// kb/flat, by a plain loop and by a RediSearch FLAT index, in turns within one
// run, and says whether they find the same. run.sh starts the server for it.
package main

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"plumbline/internal/vec"
	"plumbline/kb"
	"plumbline/kb/flat"
)

const top = 10

func main() {
	addr := flag.String("addr", "127.0.0.1:6379", "RediSearch, which is emptied")
	n := flag.Int("n", 100_000, "vectors")
	dim := flag.Int("dim", 384, "numbers a vector")
	queries := flag.Int("queries", 200, "timed queries")
	flag.Parse()
	if err := run(context.Background(), *addr, *n, *dim, *queries); err != nil {
		fmt.Fprintln(os.Stderr, "flat-vs-redisearch:", err)
		os.Exit(1)
	}
}

// An engine answers with the ids of the nearest vectors.
type engine struct {
	name  string
	procs int
	find  func(q []float32) ([]string, error)
	took  []time.Duration
	agree int // queries with the same set as the last engine, RediSearch
}

func run(ctx context.Context, addr string, n, dim, queries int) error {
	vectors, questions := clustered(n, dim, queries)

	records := make([]kb.Record, n)
	for i, v := range vectors {
		records[i] = kb.Record{ID: id(i), Vector: v}
	}
	index := flat.New()
	start := time.Now()
	if err := index.Replace(ctx, "1", records); err != nil {
		return err
	}
	fmt.Printf("%d vectors of %d numbers, %d processors, assembly %v\n", n, dim, runtime.NumCPU(), vec.Accelerated())
	fmt.Printf("flat built in %v\n", time.Since(start).Round(time.Millisecond))

	redis, err := dial(ctx, addr)
	if err != nil {
		return err
	}
	defer redis.Close()
	start = time.Now()
	if err := load(redis, vectors, dim); err != nil {
		return fmt.Errorf("load RediSearch: %w", err)
	}
	fmt.Printf("RediSearch FLAT built in %v\n", time.Since(start).Round(time.Millisecond))
	ping, err := pingTime(redis)
	if err != nil {
		return err
	}
	fmt.Printf("a PING takes %v at best, which RediSearch's times include\n\n", ping)

	byFlat := func(q []float32) (ids []string, err error) {
		hits, err := index.Nearest(ctx, q, top, -1, kb.Filter{})
		for _, h := range hits {
			ids = append(ids, h.Record)
		}
		return ids, err
	}
	all := runtime.GOMAXPROCS(0)
	engines := []*engine{
		{name: "kb/flat", procs: all, find: byFlat},
		{name: "kb/flat, 1 goroutine", procs: 1, find: byFlat},
		{name: "plain Go loop", procs: 1, find: func(q []float32) ([]string, error) { return loop(vectors, q), nil }},
		{name: "RediSearch FLAT", procs: all, find: func(q []float32) ([]string, error) { return knn(redis, q) }},
	}
	if err := compare(engines, questions); err != nil {
		return err
	}
	report(engines)
	return nil
}

// compare asks every engine every question, each time in another order.
func compare(engines []*engine, questions [][]float32) error {
	for i, q := range questions {
		found := make([][]string, len(engines))
		for j := range engines {
			j = (i + j) % len(engines)
			e := engines[j]
			runtime.GOMAXPROCS(e.procs)
			start := time.Now()
			ids, err := e.find(q)
			took := time.Since(start)
			if err != nil {
				return fmt.Errorf("%s: %w", e.name, err)
			}
			e.took = append(e.took, took)
			slices.Sort(ids)
			found[j] = ids
		}
		for j, e := range engines {
			if slices.Equal(found[j], found[len(found)-1]) {
				e.agree++
			}
		}
	}
	return nil
}

func report(engines []*engine) {
	last := engines[len(engines)-1]
	for _, e := range engines {
		slices.Sort(e.took)
	}
	ms := func(d time.Duration) float64 { return float64(d) / 1e6 }
	half := len(last.took) / 2
	fmt.Printf("%-22s %8s %8s %16s %16s %14s\n", "", "p50 ms", "min ms", "p50/RediSearch", "min/RediSearch", "same top 10")
	for _, e := range engines {
		fmt.Printf("%-22s %8.2f %8.2f %16.2f %16.2f %10d/%d\n", e.name, ms(e.took[half]), ms(e.took[0]),
			ms(e.took[half])/ms(last.took[half]), ms(e.took[0])/ms(last.took[0]), e.agree, len(e.took))
	}
}

func id(i int) string { return fmt.Sprintf("v:%06d", i) }

func load(c *conn, vectors [][]float32, dim int) error {
	if _, err := c.do("FLUSHALL"); err != nil {
		return err
	}
	if _, err := c.do("FT.CREATE", "flat", "PREFIX", "1", "v:", "SCHEMA",
		"vec", "VECTOR", "FLAT", "6", "TYPE", "FLOAT32", "DIM", fmt.Sprint(dim), "DISTANCE_METRIC", "COSINE"); err != nil {
		return err
	}
	const batch = 200
	for i := 0; i < len(vectors); i += batch {
		end := min(i+batch, len(vectors))
		for j := i; j < end; j++ {
			c.send("HSET", id(j), "vec", blob(vectors[j]))
		}
		for range end - i {
			if _, err := c.receive(); err != nil {
				return err
			}
		}
	}
	reply, err := c.do("FT.SEARCH", "flat", "*", "LIMIT", "0", "0")
	if err != nil {
		return err
	}
	if got := fmt.Sprint(reply); got != fmt.Sprintf("[%d]", len(vectors)) {
		return fmt.Errorf("index holds %s, want %d", got, len(vectors))
	}
	return nil
}

func knn(c *conn, q []float32) ([]string, error) {
	reply, err := c.do("FT.SEARCH", "flat", fmt.Sprintf("*=>[KNN %d @vec $q AS score]", top), "PARAMS", "2", "q", blob(q),
		"SORTBY", "score", "ASC", "LIMIT", "0", fmt.Sprint(top), "RETURN", "1", "score", "DIALECT", "2")
	if err != nil {
		return nil, err
	}
	rows, _ := reply.([]any)
	var ids []string
	for _, r := range rows {
		if s, ok := r.(string); ok && strings.HasPrefix(s, "v:") {
			ids = append(ids, s)
		}
	}
	return ids, nil
}

func pingTime(c *conn) (time.Duration, error) {
	best := time.Hour
	for range 200 {
		start := time.Now()
		if _, err := c.do("PING"); err != nil {
			return 0, err
		}
		best = min(best, time.Since(start))
	}
	return best, nil
}

func blob(v []float32) string {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return string(b)
}

// loop is what anyone would write.
func loop(vectors [][]float32, q []float32) (ids []string) {
	type scored struct {
		row   int
		score float32
	}
	var best []scored
	for i, v := range vectors {
		var sum float32
		for j, x := range v {
			sum += x * q[j]
		}
		if len(best) == top && sum <= best[top-1].score {
			continue
		}
		at := 0
		for at < len(best) && best[at].score >= sum {
			at++
		}
		best = slices.Insert(best, at, scored{i, sum})
		best = best[:min(len(best), top)]
	}
	for _, s := range best {
		ids = append(ids, id(s.row))
	}
	return ids
}

// clustered returns n vectors around n/100 centres, as embeddings of a few
// topics lie, and queries near some of them.
func clustered(n, dim, queries int) (vectors, questions [][]float32) {
	random := rand.New(rand.NewPCG(384, uint64(n)))
	centres := make([][]float32, max(1, n/100))
	for i := range centres {
		centres[i] = make([]float32, dim)
		for j := range centres[i] {
			centres[i][j] = float32(random.NormFloat64())
		}
		vec.Normalize(centres[i])
	}
	near := func(v []float32) []float32 {
		centre := centres[random.IntN(len(centres))]
		for i := range v {
			v[i] = centre[i] + 0.04*float32(random.NormFloat64())
		}
		vec.Normalize(v)
		return v
	}
	data := make([]float32, n*dim) // one array, so that the loop does not suffer from scattered rows
	for i := range n {
		vectors = append(vectors, near(data[i*dim:(i+1)*dim:(i+1)*dim]))
	}
	for range queries {
		questions = append(questions, near(make([]float32, dim)))
	}
	return vectors, questions
}
