package llm

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// maxBody is the most bytes of a reply that are read, streamed or not.
const maxBody = 4 << 20

// maxError is the most bytes of an error that are read.
const maxError = 64 << 10

var errTooLong = errors.New("reply too long")

// client returns a go-openai client for one exchange. It holds no key.
func (e *Endpoint) client(r Request, x *exchange) *openai.Client {
	c := openai.DefaultConfig("")
	if e.preset.Kind == KindAzure && !azureV1(e.base) {
		c = openai.DefaultAzureConfig("", e.base)
		c.AzureModelMapperFunc = func(string) string { return url.PathEscape(r.Model) }
	}
	c.BaseURL = e.base
	c.APIVersion = e.version
	c.HTTPClient = x
	return openai.NewClientWithConfig(c)
}

// An exchange is one call of a server. It lies under go-openai, which is given
// a request that it has nothing against, sends the true one, and hands up only
// what go-openai can decode.
type exchange struct {
	e      *Endpoint
	body   []byte
	stream bool
	status int // of HTTP, once it is known
}

// Do implements openai.HTTPDoer. Its errors are Failures.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	req.Body = io.NopCloser(bytes.NewReader(x.body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil }
	req.ContentLength = int64(len(x.body))
	req.Header.Set("User-Agent", "plumbline")
	req.Header.Del("Connection")
	req.Header.Del(openai.AzureAPIKeyHeader)
	req.Header.Del("Authorization")
	if key := x.e.key.Reveal(); key != "" {
		if x.e.preset.Kind == KindAzure {
			req.Header.Set(openai.AzureAPIKeyHeader, key)
		} else {
			req.Header.Set("Authorization", "Bearer "+key)
		}
	}

	resp, err := x.e.http.Do(req)
	if err != nil {
		return nil, broken(err)
	}
	x.status = resp.StatusCode
	if err := inflate(resp); err != nil {
		resp.Body.Close()
		return nil, &Failure{Reason: Garbled, Status: x.status}
	}
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close()
		b, _ := io.ReadAll(io.LimitReader(resp.Body, maxError)) // half an error will do
		return nil, refusal(resp.StatusCode, resp.Header, b, x.e.now())
	}
	body := bufio.NewReader(resp.Body)
	if x.stream && !looksWhole(body) {
		resp.Body = &events{in: body, under: resp.Body, left: maxBody, status: x.status, header: resp.Header, now: x.e.now}
		return resp, nil
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	if err != nil {
		return nil, broken(err)
	}
	if len(b) > maxBody {
		return nil, &Failure{Reason: Garbled, Status: x.status, Err: errTooLong}
	}
	s, err := x.e.said(b, "message", x.status, resp.Header)
	if err != nil {
		return nil, err
	}
	if s.choices == 0 {
		return nil, &Failure{Reason: Garbled, Status: x.status}
	}
	if x.stream { // asked for parts, given the whole
		b = append(append([]byte("data: "), s.chunk()...), "\ndata: [DONE]\n"...)
	} else {
		b = s.whole()
	}
	resp.Body = io.NopCloser(bytes.NewReader(b))
	resp.ContentLength = int64(len(b))
	return resp, nil
}

// looksWhole reports whether a body is one JSON value, or HTML, instead of
// events.
func looksWhole(r *bufio.Reader) bool {
	for n := 1; n <= 64; n++ {
		b, err := r.Peek(n)
		if err != nil {
			return false // what reads on meets it
		}
		switch c := b[n-1]; c {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF: // a byte order mark too
		default:
			return c == '{' || c == '<' || c == '['
		}
	}
	return false
}

// inflate makes resp.Body plain where a server compresses what the transport
// did not ask it to.
func inflate(resp *http.Response) error {
	switch strings.ToLower(resp.Header.Get("Content-Encoding")) {
	case "", "identity":
		return nil
	case "gzip", "x-gzip":
	default:
		return errors.New("unknown encoding")
	}
	zr, err := gzip.NewReader(resp.Body)
	if err != nil {
		return err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{zr, resp.Body}
	resp.Header.Del("Content-Encoding")
	return nil
}

// said reads one body or one chunk; its errors are Failures.
func (e *Endpoint) said(b []byte, field string, status int, h http.Header) (said, error) {
	s, ok := readSaid(b, field)
	if !ok {
		return said{}, &Failure{Reason: Garbled, Status: status}
	}
	if s.failed != nil && s.text == "" {
		return said{}, s.failed.under(status, h, e.now())
	}
	return s, nil
}

// marshal is json.Marshal of what cannot fail.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers marshal
	}
	return b
}
