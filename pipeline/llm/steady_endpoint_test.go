package llm_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"plumbline/pipeline/llm"
	"plumbline/pipeline/llm/llmtest"
)

// A server that says Retry-After: 1 is asked
// once more, a second later and not before; one without quota is not.
func TestL17(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []time.Time
		e := over(t, func(*http.Request) (*http.Response, error) {
			calls = append(calls, time.Now())
			if len(calls) == 1 {
				resp := answer(429, "application/json", `{"error":{"code":"rate_limit_exceeded"}}`)
				resp.Header.Set("Retry-After", "1")
				return resp, nil
			}
			return answer(200, "application/json", `{"choices":[{"message":{"content":"a"}}]}`), nil
		})
		s := steady(t, e, llm.SteadyConfig{})
		reply, err := s.Complete(t.Context(), ask("m"), nil)
		if err != nil || reply.Text != "a" || reply.Tries != 2 || len(calls) != 2 {
			t.Fatalf("Complete = %+v, %v after %d calls, want a after 2", reply, err, len(calls))
		}
		if took := calls[1].Sub(calls[0]); took < time.Second || took > 1200*time.Millisecond {
			t.Errorf("asked again after %v, want between 1s and 1.2s", took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		var calls int
		e := over(t, func(*http.Request) (*http.Response, error) {
			calls++
			return answer(429, "application/json", `{"error":{"code":"insufficient_quota"}}`), nil
		})
		reply, err := steady(t, e, llm.SteadyConfig{}).Complete(t.Context(), ask("m"), nil)
		if llm.ReasonOf(err) != llm.NoQuota || calls != 1 || reply.Tries != 1 {
			t.Errorf("Complete without quota: %v after %d calls, want %s after 1", err, calls, llm.NoQuota)
		}
	})
}

func TestL18Retries(t *testing.T) {
	for _, tt := range []struct {
		trouble llmtest.Trouble
		calls   int
	}{
		{llmtest.BadGateway, 3}, {llmtest.NoMessage, 3}, {llmtest.Reset, 3}, {llmtest.ErrorUnder200, 3}, {llmtest.NoChoices, 3},
		{llmtest.StringError, 1}, {llmtest.NoQuota, 1}, {llmtest.Status(401), 1}, {llmtest.Status(404), 1},
		{llmtest.Refusal, 1}, {llmtest.CutOff, 1},
	} {
		t.Run(tt.trouble.String(), func(t *testing.T) {
			server, e := start(t, llmtest.VLLM)
			s := steady(t, e, llm.SteadyConfig{Backoff: time.Millisecond})
			server.For(nil, tt.trouble)
			reply, err := s.Complete(t.Context(), ask(models[llmtest.VLLM]), nil)
			if got := len(server.Requests()); err == nil || got != tt.calls || reply.Tries != tt.calls {
				t.Errorf("Complete: %v after %d calls, %d tries, want %d", err, got, reply.Tries, tt.calls)
			}
			server.Clear()
			if reply, err := s.Complete(t.Context(), ask(models[llmtest.VLLM]), nil); err != nil || reply.Text == "" {
				t.Errorf("Complete of the next request: %v", err)
			}
		})
	}
}
