package sessions

import (
	"context"
	"crypto/rand"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"plumbline/bot"
	"plumbline/internal/text"
)

// keepIDs is how long the id of a finished message is known.
const keepIDs = 48 * time.Hour

// The most that is joined into one job.
const (
	maxTexts = 8
	maxRunes = 4000
)

// A Queue is a [bot.Inbox], a [bot.Outbox] and a [bot.SessionStore] that last as
// long as the program runs, for a conversation at a terminal and for tests. It keeps nothing on
// disk, so what it took in is lost with the process: nothing that faces people
// may acknowledge a message on its word. Make one with [NewQueue].
//
// It looks through all that waits for each call: it is meant for tens of
// messages, not thousands.
type Queue struct {
	Memory // of the sessions that jobs carry

	now                     func() time.Time
	seed                    maphash.Seed
	inboxReady, outboxReady chan struct{}

	mu      sync.Mutex
	people  map[string]*person
	book    []bot.Decision
	jobs    []*job               // that wait, by seq
	known   map[name]time.Time   // when a message was finished; zero while it waits
	swept   time.Time            // known
	parked  []bot.Parked         // newest first
	letters []*letter            // that wait, by seq
	states  map[string]sentState // of every text, by key
	vendors map[name]string      // the key of a text by channel and vendor's id
	seq     int64
	served  int64 // the highest turn that was handed out
}

// A name is a channel and an id on it.
type name struct{ channel, id string }

// A person is what a Queue knows of one.
type person struct {
	optedOut bool
	told     bool
	turn     int64 // the last that they were given
	arrivals []arrival
}

// An arrival is what limits and repeats are judged by.
type arrival struct {
	at      time.Time
	words   uint64 // hash of them; 0 for none
	receipt bot.Receipt
	counted bool
}

// A job is a message that waits, or several that were joined.
type job struct {
	bot.Job
	hold
	ids   []name
	plain bool      // may be joined with its like
	last  time.Time // when the last of its texts came
	runes int
	turn  int64
}

// A hold is when something may be handed out, and who has it.
type hold struct {
	due    time.Time
	leased bool
	until  time.Time
}

// inHand reports whether someone has it at the time now.
func (h *hold) inHand(now time.Time) bool { return h.leased && h.until.After(now) }

// free reports whether it may be handed out at the time now.
func (h *hold) free(now time.Time) bool { return !h.inHand(now) && !h.due.After(now) }

// NewQueue returns an empty Queue that tells the time by now.
func NewQueue(now func() time.Time) *Queue {
	return &Queue{
		now: now, seed: maphash.MakeSeed(), inboxReady: make(chan struct{}, 1), outboxReady: make(chan struct{}, 1),
		people: map[string]*person{}, known: map[name]time.Time{}, states: map[string]sentState{}, vendors: map[name]string{},
	}
}

// InboxReady has a value after something became due in the inbox. One value may
// stand for many messages; what becomes due by the time alone is found by asking.
func (q *Queue) InboxReady() <-chan struct{} { return q.inboxReady }

// OutboxReady is to the outbox what InboxReady is to the inbox.
func (q *Queue) OutboxReady() <-chan struct{} { return q.outboxReady }

// wake signals c, unless a signal waits there already.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (q *Queue) person(key string) *person {
	p, ok := q.people[key]
	if !ok {
		p = new(person)
		q.people[key] = p
	}
	return p
}

// Put implements [bot.Inbox].
func (q *Queue) Put(ctx context.Context, key string, a bot.Arrival) (bot.Receipt, error) {
	m := a.Message
	if key == "" || m.ID == "" || m.From.Channel == "" {
		return "", fmt.Errorf("take in message: it has no person, id or channel: %w", bot.ErrInvalid)
	}
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("take in message: %w", err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	if now.Sub(q.swept) > time.Hour {
		q.swept = now
		for n, at := range q.known {
			if !at.IsZero() && now.Sub(at) >= keepIDs {
				delete(q.known, n)
			}
		}
	}
	id := name{m.From.Channel, m.ID}
	if at, ok := q.known[id]; ok && (at.IsZero() || now.Sub(at) < keepIDs) {
		return bot.Repeated, nil
	}
	p := q.person(key)
	words := q.hash(m.Text)
	if p.optedOut {
		words = 0 // it is not answered, so that the same words later are no repeat of it
	}
	decided := a.Decides(p.optedOut)
	if decided != "" { // whatever becomes of it, it holds
		q.decide(key, m.From.Channel, decided, a.Cause(), now)
	}
	r := p.admit(a, words, now)
	q.known[id] = now
	if r == bot.Queued || r == bot.Limited {
		q.known[id] = time.Time{}
		q.enqueue(key, p, a, r, decided, now)
		wake(q.inboxReady)
	}
	if decided == bot.OptOut {
		q.letGo(ctx, key)
	}
	return r, nil
}

// letGo waits until no text is in hand for a person who opted out. The caller
// holds the lock, which is let go meanwhile.
func (q *Queue) letGo(ctx context.Context, key string) {
	ctx, cancel := context.WithTimeout(ctx, bot.HandWait)
	defer cancel()
	for ctx.Err() == nil && slices.ContainsFunc(q.letters, func(l *letter) bool {
		return l.Person == key && !l.despite && l.inHand(q.now())
	}) {
		q.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
		q.mu.Lock()
	}
}

// hash is a hash of the words of a text, 0 if it has none.
func (q *Queue) hash(s string) uint64 {
	words := strings.Join(strings.Fields(strings.ToLower(text.Normalize(s))), " ")
	if words == "" {
		return 0
	}
	return maphash.String(q.seed, words) | 1
}

// admit judges an arrival that was not here before, and remembers it.
func (p *person) admit(a bot.Arrival, words uint64, now time.Time) (r bot.Receipt) {
	p.arrivals = slices.DeleteFunc(p.arrivals, func(b arrival) bool { return now.Sub(b.at) >= keepIDs })
	counted := !a.Urgent
	switch a.Word {
	case bot.WordStop, bot.WordStart, bot.WordHelp, bot.WordForget, bot.WordPerson: // always heard
		counted = false
	}
	defer func() {
		p.arrivals = append(p.arrivals, arrival{now, words, r, counted && r == bot.Queued})
	}()
	within := func(d time.Duration, is func(arrival) bool) (n int) {
		for _, b := range p.arrivals {
			if now.Sub(b.at) < d && is(b) {
				n++
			}
		}
		return n
	}
	limited := func(b arrival) bool { return b.receipt == bot.Limited }
	same := func(b arrival) bool { return b.receipt == bot.Queued && b.words == words }
	switch {
	case a.Urgent:
		return bot.Queued
	case a.Word == bot.WordNone && words != 0 && within(a.Rules.Repeat, same) > 0:
		return bot.Repeated
	case a.Rules.Same.Count > 0 && a.Word == bot.WordNone && words != 0 && within(a.Rules.Same.Per, same) >= a.Rules.Same.Count:
		return bot.Silenced
	case !counted:
		return bot.Queued
	case len(a.Rules.Limits) > 0 && within(a.Rules.Silence, limited) > 0:
		return bot.Silenced
	}
	for _, l := range a.Rules.Limits {
		if within(l.Per, func(b arrival) bool { return b.counted }) < l.Count {
			continue
		}
		if a.Rules.Silence <= 0 && within(l.Per, limited) > 0 { // told once, all the same
			return bot.Silenced
		}
		return bot.Limited
	}
	return bot.Queued
}

// enqueue adds a message to its person's line, or to the job at the end of it.
func (q *Queue) enqueue(key string, p *person, a bot.Arrival, r bot.Receipt, decided bot.Consent, now time.Time) {
	m, runes := a.Message, utf8.RuneCountInString(a.Message.Text)
	id := name{m.From.Channel, m.ID}
	first := a.Urgent || decided == bot.OptOut
	plain := a.Word == bot.WordNone && !first && r == bot.Queued && a.Rules.Debounce > 0
	var last *job
	for _, j := range q.jobs {
		if j.Person == key {
			last = j
		}
	}
	open := last != nil && last.plain && last.Fence == 0
	if plain && open && now.Sub(last.last) <= a.Rules.Debounce && last.Joined < maxTexts && last.runes+1+runes <= maxRunes {
		last.Joined++
		last.ids = append(last.ids, id)
		last.last, last.runes = now, last.runes+1+runes
		last.due = earlier(now.Add(a.Rules.Debounce), last.Received.Add(a.Rules.Patience))
		last.Message.Text = strings.Trim(last.Message.Text+"\n"+m.Text, "\n")
		last.Message.Media = append(slices.Clone(last.Message.Media), m.Media...)
		if last.Message.Language == "" {
			last.Message.Language = m.Language
		}
		return
	}
	if open && !first {
		last.due = earlier(last.due, now) // nothing can join it any more
	}
	q.seq++
	j := &job{
		Job: bot.Job{
			Seq: q.seq, Person: key, Message: m, Joined: 1, Urgent: a.Urgent, Word: a.Word, Receipt: r, Decided: decided, Received: now,
		},
		hold: hold{due: now}, ids: []name{id}, plain: plain, last: now, runes: runes,
	}
	if plain {
		j.due = now.Add(min(a.Rules.Debounce, a.Rules.Patience))
	}
	if first { // the first emergencies of all come before the second of anyone
		for _, o := range q.jobs {
			if o.Person == key && o.first() {
				j.turn++
			}
		}
	} else {
		p.turn = max(p.turn, q.served) + 1
		j.turn = p.turn
	}
	q.jobs = append(q.jobs, j)
}

// first reports whether j goes before all others: an emergency, or an opt-out.
func (j *job) first() bool { return j.Urgent || j.Decided == bot.OptOut }

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Next implements [bot.Inbox].
func (q *Queue) Next(ctx context.Context, l bot.Lease) (bot.Job, error) {
	if err := ctx.Err(); err != nil {
		return bot.Job{}, fmt.Errorf("hand out job: %w", err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	var best *job
	more := false
	for _, j := range q.jobs {
		if l.Urgent && !j.first() || !j.free(l.Now) || q.behind(j, l.Now) {
			continue
		}
		more = more || best != nil
		if best == nil || j.before(best) {
			best = j
		}
	}
	if best == nil {
		return bot.Job{}, fmt.Errorf("hand out job: nothing is due: %w", bot.ErrNotFound)
	}
	s, err := q.Memory.Load(ctx, best.Person)
	if err != nil {
		return bot.Job{}, fmt.Errorf("hand out job: %w", err)
	}
	if more { // for the next worker
		wake(q.inboxReady)
	}
	p := q.person(best.Person)
	best.leased, best.until = true, l.Until
	best.Fence++
	best.Tries++
	if !best.first() {
		q.served = max(q.served, best.turn)
	}
	out := best.Job
	out.OptedOut, out.New, out.Session = p.optedOut, !p.told, s
	out.Message.Media = slices.Clone(out.Message.Media)
	return out, nil
}

// before reports whether j is handed out before o when both may be.
func (j *job) before(o *job) bool {
	if j.first() != o.first() {
		return j.first()
	}
	return j.turn < o.turn // the earlier comes first among equals
}

// behind reports whether something of j's person must be finished first. An
// emergency waits for nothing.
func (q *Queue) behind(j *job, now time.Time) bool {
	return !j.first() && slices.ContainsFunc(q.jobs, func(o *job) bool {
		return o.Person == j.Person && o != j && (o.Seq < j.Seq || o.inHand(now))
	})
}

// own returns the job that is still j's holder's, else [bot.ErrConflict].
func (q *Queue) own(j bot.Job) (*job, error) {
	for _, o := range q.jobs {
		if o.Seq == j.Seq && o.Fence == j.Fence && o.leased {
			return o, nil
		}
	}
	return nil, fmt.Errorf("job %d: another has it, or it is finished: %w", j.Seq, bot.ErrConflict)
}

// Extend implements [bot.Inbox].
func (q *Queue) Extend(_ context.Context, j bot.Job, until time.Time) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	o, err := q.own(j)
	if err != nil {
		return fmt.Errorf("extend lease: %w", err)
	}
	o.until = until
	return nil
}

// Return implements [bot.Inbox].
func (q *Queue) Return(_ context.Context, j bot.Job, at time.Time, _ string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	o, err := q.own(j)
	if err != nil {
		return fmt.Errorf("return job: %w", err)
	}
	o.leased, o.due = false, at
	wake(q.inboxReady)
	return nil
}

// Finish implements [bot.Inbox]. There is no record: of a turn only what the
// session remembers is kept.
func (q *Queue) Finish(ctx context.Context, j bot.Job, o bot.Outcome) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	had, err := q.own(j)
	if err != nil {
		return fmt.Errorf("finish job: %w", err)
	}
	if o.Consent != "" && o.Consent != bot.OptOut && o.Consent != bot.OptIn {
		return fmt.Errorf("finish job %d: there is no consent %q: %w", j.Seq, o.Consent, bot.ErrInvalid)
	}
	switch {
	case o.Forget:
		err = q.Memory.Forget(ctx, had.Person)
	case o.Remember != nil:
		err = q.Memory.Update(ctx, had.Person, o.Remember)
	}
	if err != nil {
		return fmt.Errorf("finish job %d: %w", j.Seq, err)
	}
	now, p := q.now(), q.person(had.Person)
	for _, id := range had.ids {
		q.known[id] = now
	}
	q.jobs = slices.DeleteFunc(q.jobs, func(x *job) bool { return x == had })
	if o.Parked != "" {
		q.parked = slices.Insert(q.parked, 0, bot.Parked{
			Seq: had.Seq, Channel: had.Message.From.Channel, Person: had.Person, Tries: had.Tries, Why: o.Parked, At: now,
		})
	}
	if o.Consent != "" {
		q.decide(had.Person, had.Message.From.Channel, o.Consent, string(had.Word), now)
	}
	p.told = p.told || o.Told
	if o.Forget {
		q.people[had.Person] = &person{optedOut: p.optedOut}
		q.parked = slices.DeleteFunc(q.parked, func(p bot.Parked) bool { return p.Person == had.Person })
	}
	var expires time.Time
	if o.Despite {
		expires = now.Add(bot.ConfirmWithin)
	}
	for _, r := range o.Replies {
		q.compose(&letter{despite: o.Despite, Delivery: bot.Delivery{
			Key: rand.Text(), Person: had.Person, To: had.Message.From, Text: r.Text, Language: r.Language, Answer: r.Answer, Status: r.Status,
			Offers: r.Offers(), Urgent: had.first() || r.Status == bot.Emergency, Asked: had.Received, Expires: expires,
		}})
	}
	wake(q.inboxReady)
	wake(q.outboxReady)
	return nil
}

// Parked implements [bot.Inbox].
func (q *Queue) Parked(context.Context) ([]bot.Parked, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.parked), nil
}

// Depth implements [bot.Inbox].
func (q *Queue) Depth(_ context.Context, now time.Time) (bot.Depth, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	d := bot.Depth{Parked: len(q.parked)}
	for _, j := range q.jobs {
		d = count(d, j.first(), j.inHand(now), now.Sub(j.Received))
	}
	return d, nil
}

// count adds one that waits to d.
func count(d bot.Depth, urgent, inHand bool, age time.Duration) bot.Depth {
	d.Waiting++
	if urgent {
		d.Urgent++
	}
	if inHand {
		d.Leased++
	}
	d.Oldest = max(d.Oldest, age)
	return d
}
