package llm

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"plumbline/bot"
	"plumbline/internal/secret"
)

// An EndpointConfig says which server an Endpoint asks.
type EndpointConfig struct {
	Kind       Kind        // of server
	BaseURL    string      // what /chat/completions is added to; empty for the preset's. For Azure the resource, or its /openai/v1
	Key        secret.Text // may be none where the preset does not need one
	APIVersion string      // of Azure, and only there

	// NoStreamUsage leaves stream_options out, for a server that does not take
	// it: tokens of streamed replies are then told by their characters.
	NoStreamUsage bool

	HTTPClient *http.Client     // nil for one of our own; not changed, and its redirects are not followed
	Now        func() time.Time // nil for time.Now; read for Retry-After
}

// NewEndpoint returns an Endpoint. Its error wraps bot.ErrInvalid and says, line
// by line, all that is to be mended.
func NewEndpoint(c EndpointConfig) (*Endpoint, error) {
	preset, err := PresetOf(c.Kind)
	if err != nil {
		return nil, fmt.Errorf("model endpoint: %w", err)
	}
	base := strings.TrimRight(c.BaseURL, "/")
	if base == "" {
		base = preset.BaseURL
	}
	if err := errors.Join(
		checkBase(base, preset),
		checkVersion(base, c.APIVersion, preset),
		checkKey(c.Key, preset),
	); err != nil {
		return nil, fmt.Errorf("%w: %w", err, bot.ErrInvalid)
	}
	client := &http.Client{Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
	}}
	if c.HTTPClient != nil {
		copied := *c.HTTPClient
		client = &copied
	}
	// A redirect would take the key and the prompt elsewhere.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	now := c.Now
	if now == nil {
		now = time.Now
	}
	return &Endpoint{
		preset: preset, base: base, version: c.APIVersion, key: c.Key,
		usage: preset.StreamUsage && !c.NoStreamUsage, http: client, now: now,
	}, nil
}

// checkBase says what is wrong with the base URL. It does not repeat the URL,
// which may hold a password.
func checkBase(base string, p Preset) error {
	if base == "" {
		return fmt.Errorf("set the base URL: %s has none of its own, give that of your resource, as https://NAME.openai.azure.com", p.Kind)
	}
	u, err := url.Parse(base)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return errors.New("mend the base URL: it is to begin with http:// or https:// and a host")
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return errors.New("take user, query and fragment out of the base URL: the key and the API version are settings of their own")
	case strings.HasSuffix(u.Path, "/chat/completions"):
		return errors.New("take /chat/completions off the base URL: it is added")
	case u.Path == "" && p.Kind != KindAzure:
		return fmt.Errorf("add a path to the base URL: that of %s ends in /v1", p.Kind)
	}
	return nil
}

func checkVersion(base, version string, p Preset) error {
	switch {
	case p.Kind != KindAzure && version != "":
		return fmt.Errorf("take the API version away: only azure has one, and this is %s", p.Kind)
	case p.Kind == KindAzure && version == "" && !azureV1(base):
		return errors.New("set the API version, as 2024-10-21: azure does not answer without one")
	}
	return nil
}

func checkKey(key secret.Text, p Preset) error {
	s := key.Reveal()
	switch {
	case s == "" && p.NeedsKey:
		return fmt.Errorf("set the key: %s does not answer without one", p.Kind)
	case strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c > '~' }):
		return errors.New("mend the key: it has spaces, line ends or other characters that no key has")
	}
	return nil
}

// azureV1 reports whether base is Azure's newer API, which is called as
// OpenAI's is.
func azureV1(base string) bool { return strings.HasSuffix(base, "/openai/v1") }
