package smstest

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// A queue runs jobs when they are due, so many at once. What waits is bounded
// by what was asked for: a few jobs a message.
type queue struct {
	ctx    context.Context // ends with the queue
	cancel context.CancelFunc
	slots  chan struct{}
	wake   chan struct{}
	wg     sync.WaitGroup

	mu      sync.Mutex
	waiting jobs
	seq     int
	open    int           // that wait or run
	idle    chan struct{} // closed when none is open
}

// A job is run once, unless the queue ends first.
type job struct {
	due time.Time
	seq int
	run func(context.Context)
}

type jobs []job

func (j jobs) Len() int { return len(j) }
func (j jobs) Less(a, b int) bool {
	if j[a].due.Equal(j[b].due) {
		return j[a].seq < j[b].seq
	}
	return j[a].due.Before(j[b].due)
}
func (j jobs) Swap(a, b int) { j[a], j[b] = j[b], j[a] }
func (j *jobs) Push(x any)   { *j = append(*j, x.(job)) }
func (j *jobs) Pop() any {
	last := (*j)[len(*j)-1]
	(*j)[len(*j)-1] = job{}
	*j = (*j)[:len(*j)-1]
	return last
}

func newQueue(workers int) *queue {
	q := &queue{slots: make(chan struct{}, workers), wake: make(chan struct{}, 1), idle: make(chan struct{})}
	close(q.idle)
	q.ctx, q.cancel = context.WithCancel(context.Background())
	q.wg.Go(q.dispatch)
	return q
}

// after has run called in a while, with a context that ends with the queue.
func (q *queue) after(d time.Duration, run func(context.Context)) {
	q.mu.Lock()
	if q.open == 0 {
		q.idle = make(chan struct{})
	}
	q.open++
	q.seq++
	heap.Push(&q.waiting, job{time.Now().Add(d), q.seq, run})
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) dispatch() {
	for {
		select {
		case q.slots <- struct{}{}:
		case <-q.ctx.Done():
			return
		}
		j, ok := q.next()
		if !ok {
			return
		}
		q.wg.Go(func() {
			j.run(q.ctx)
			<-q.slots
			q.mu.Lock()
			defer q.mu.Unlock()
			if q.open--; q.open == 0 {
				close(q.idle)
			}
		})
	}
}

// next is the next job, once it is due.
func (q *queue) next() (job, bool) {
	for {
		q.mu.Lock()
		wait := time.Hour
		if len(q.waiting) > 0 {
			if wait = time.Until(q.waiting[0].due); wait <= 0 {
				j := heap.Pop(&q.waiting).(job)
				q.mu.Unlock()
				return j, true
			}
		}
		q.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-q.wake:
		case <-timer.C:
		case <-q.ctx.Done():
			timer.Stop()
			return job{}, false
		}
		timer.Stop()
	}
}

// drain waits until no job waits or runs.
func (q *queue) drain(ctx context.Context) error {
	for {
		q.mu.Lock()
		idle, open := q.idle, q.open
		q.mu.Unlock()
		if open == 0 {
			return nil
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// end drops what waits and returns when nothing runs.
func (q *queue) end() {
	q.cancel()
	q.wg.Wait()
}
