package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// How many streams and waiting pages there may be. Browsers open six
// connections to one server: four streams leave them some to post with.
const (
	maxStreams        = 200
	maxVisitorStreams = 4
)

// live tells those who show a phone that something on it changed.
type live struct {
	done chan struct{} // closed when all is to end

	mu     sync.Mutex
	closed bool
	total  int
	phones map[string][]chan struct{} // by visitor
	begun  map[string]string          // what is being written to a visitor, as far as it is sure
}

func newLive() *live {
	return &live{done: make(chan struct{}), phones: map[string][]chan struct{}{}, begun: map[string]string{}}
}

// join returns a channel that has something in it after the phone of visitor
// changed, until leave is called. ok is false, and nothing has to be left,
// where there are too many already.
func (l *live) join(visitor string) (changed <-chan struct{}, leave func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.total >= maxStreams || len(l.phones[visitor]) >= maxVisitorStreams {
		return nil, nil, false
	}
	c := make(chan struct{}, 1)
	l.total++
	l.phones[visitor] = append(l.phones[visitor], c)
	return c, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.total--
		l.phones[visitor] = slices.DeleteFunc(l.phones[visitor], func(have chan struct{}) bool { return have == c })
		if len(l.phones[visitor]) == 0 {
			delete(l.phones, visitor)
			delete(l.begun, visitor)
		}
	}, true
}

// write notes what is being written to visitor, for those who show the phone;
// nobody else needs it.
func (l *live) write(visitor, text string) {
	l.mu.Lock()
	if len(l.phones[visitor]) == 0 || l.begun[visitor] == text {
		l.mu.Unlock()
		return
	}
	if l.begun[visitor] = text; text == "" {
		delete(l.begun, visitor)
	}
	l.mu.Unlock()
	l.wake(visitor)
}

func (l *live) written(visitor string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun[visitor]
}

func (l *live) wake(visitor string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.phones[visitor] {
		select {
		case c <- struct{}{}:
		default: // it has not looked yet
		}
	}
}

func (l *live) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		close(l.done)
	}
}

// wait returns the bubbles of visitor once no reply is outstanding, or when
// the time for it is up.
func (p *Phone) wait(r *http.Request, visitor string) ([]Bubble, error) {
	bubbles, err := p.config.Mailbox.List(r.Context(), visitor)
	if err != nil || !p.outstanding(bubbles) {
		return bubbles, err
	}
	changed, leave, ok := p.live.join(visitor)
	if !ok {
		return bubbles, nil
	}
	defer leave()
	limit := time.NewTimer(p.config.Wait)
	defer limit.Stop()
	for {
		bubbles, err = p.config.Mailbox.List(r.Context(), visitor)
		if err != nil || !p.outstanding(bubbles) {
			return bubbles, err
		}
		select {
		case <-changed:
		case <-limit.C:
			return bubbles, nil
		case <-p.live.done:
			return bubbles, nil
		case <-r.Context().Done():
			return bubbles, r.Context().Err()
		}
	}
}

// patience is how long a text may look as if its reply were being written.
const patience = 2 * time.Minute

// outstanding reports whether the last text is the visitor's and recent.
func (p *Phone) outstanding(bubbles []Bubble) bool {
	n := len(bubbles)
	return n > 0 && bubbles[n-1].Mine && p.config.Now().Sub(bubbles[n-1].At) < patience
}

// An event is one bubble as a live page gets it.
type event struct {
	HTML   string `json:"html"`
	Mine   bool   `json:"mine"`
	Lang   string `json:"lang,omitempty"`
	Answer string `json:"answer,omitempty"`
}

// How long a browser waits before it opens a stream again, and how long a
// stream that cannot be written to lives.
const (
	retryMS      = 1000
	retryFullMS  = 5000
	writeTimeout = 20 * time.Second
)

// events is the live stream of a phone: an event "bubble" for each one after
// that which Last-Event-ID, or else ?after, names, "begun" for what of the next
// reply is sure already, and "reset" if the page has to be loaded anew. What another process put on the phone is seen at the next
// beat. Where there are too many streams it sends what there is
// and ends: the browser comes again.
func (p *Phone) events(w http.ResponseWriter, r *http.Request) {
	g := p.guest(r)
	if !g.known {
		http.Error(w, "no phone", http.StatusForbidden)
		return
	}
	var sent []string
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		sent = []string{last}
	} else if last := r.URL.Query().Get("after"); last != "" {
		sent = []string{last}
	}
	changed, leave, stays := p.live.join(g.visitor)
	retry := retryFullMS
	if stays {
		defer leave()
		retry = retryMS
	}
	rc := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	beat := time.NewTicker(p.config.Heartbeat)
	defer beat.Stop()
	text := fmt.Sprintf("retry: %d\n\n", retry)
	begun := ""
	for {
		bubbles, err := p.config.Mailbox.List(r.Context(), g.visitor)
		if err != nil {
			return // the browser comes again
		}
		fresh, lost := since(bubbles, sent)
		if lost {
			text, stays = text+"event: reset\ndata: {}\n\n", false
		}
		for _, b := range fresh {
			id := bubbleID(b.Key)
			line, err := p.event(b)
			if err != nil {
				p.config.Log.ErrorContext(r.Context(), "bubble not rendered", "err", err)
				return
			}
			text += fmt.Sprintf("id: %s\nevent: bubble\ndata: %s\n\n", id, line)
			sent = append(sent, id)
		}
		sent = sent[max(0, len(sent)-MaxBubbles):]
		if now := p.live.written(g.visitor); now != begun && stays {
			line, err := json.Marshal(map[string]string{"text": now})
			if err != nil {
				return
			}
			text += fmt.Sprintf("event: begun\ndata: %s\n\n", line)
			begun = now
		}
		if text != "" {
			_ = rc.SetWriteDeadline(time.Now().Add(writeTimeout))
			if _, err := fmt.Fprint(w, text); err != nil || rc.Flush() != nil {
				return
			}
		}
		if !stays {
			return
		}
		text = ""
		select {
		case <-changed:
		case <-beat.C:
			text = ": still here\n\n"
		case <-p.live.done:
			return
		case <-r.Context().Done():
			return
		}
	}
}

func (p *Phone) event(b Bubble) (json.RawMessage, error) {
	html, err := p.render("bubble", p.shown(b, true))
	if err != nil {
		return nil, err
	}
	return json.Marshal(event{HTML: html.String(), Mine: b.Mine, Lang: string(b.Language), Answer: b.Answer})
}

// since returns the bubbles after the last that was sent and is still there.
// It is lost if some were sent and none of them is.
func since(bubbles []Bubble, sent []string) (fresh []Bubble, lost bool) {
	if len(sent) == 0 {
		return bubbles, false
	}
	for i := len(bubbles) - 1; i >= 0; i-- {
		if slices.Contains(sent, bubbleID(bubbles[i].Key)) {
			return bubbles[i+1:], false
		}
	}
	return nil, true
}
