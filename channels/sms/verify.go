package sms

import (
	"crypto/hmac"
	"crypto/sha1" // Twilio's choice
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/internal/secret"
)

// The headers that a signature stands in.
const (
	signatureHeader = "X-Twilio-Signature"
	settingsHeader  = "X-Twilio-Webhooks-Signature-Settings" // says by which key, where it is not the auth token
)

// A Verifier tells Twilio's requests from forged ones. The zero Verifier
// refuses all.
type Verifier struct {
	Token  secret.Text            // the account's primary auth token; none to refuse what it signs
	Shared map[string]secret.Text // keys of the Webhooks configuration API, by their names
}

// Verify returns the parameters that the body of r holds if Twilio signed r, or
// an error that wraps [bot.ErrDenied] and holds nothing of r. publicURL is the
// URL as Twilio called it, whatever a proxy made of it, with its query as it
// was sent.
//
// The signature is that of Twilio's webhook security page: the HMAC of the URL
// and of each name with each of its distinct values, in order; with the auth
// token by SHA-1, or with a shared key by SHA-256. Of a JSON body the URL holds
// the hash. The URL may have been signed with its port or without. It says
// nothing of the time: that a request is an old one is told by its MessageSid.
func (v Verifier) Verify(r *http.Request, publicURL string, body []byte) (url.Values, error) {
	said := r.Header.Values(signatureHeader)
	if len(said) != 1 || said[0] == "" {
		return nil, denied("it has no signature, or several")
	}
	signature, err := base64.StdEncoding.Strict().DecodeString(said[0])
	if err != nil {
		return nil, denied("its signature cannot be read")
	}
	key, algorithm, err := v.key(r.Header.Values(settingsHeader))
	if err != nil {
		return nil, err
	}
	params, err := bodyParams(r, publicURL, body)
	if err != nil {
		return nil, err
	}
	for _, u := range withPorts(publicURL) {
		mac := hmac.New(algorithm, []byte(key.Reveal()))
		mac.Write(signed(u, params))
		if hmac.Equal(mac.Sum(nil), signature) {
			return params, nil
		}
	}
	return nil, denied("its signature is not that of this URL and body by our key: see that public.url is the URL that Twilio calls, and that the token is the account's primary one")
}

func denied(why string) error { return fmt.Errorf("verify webhook: %s: %w", why, bot.ErrDenied) }

// key is the key that a request says it is signed by. What it says is never
// trusted further: an algorithm that is not the key's own is refused.
func (v Verifier) key(settings []string) (secret.Text, func() hash.Hash, error) {
	if len(settings) == 0 {
		if v.Token.IsZero() {
			return secret.Text{}, nil, denied("it is signed by the auth token, and none is set")
		}
		return v.Token, sha1.New, nil
	}
	fields := map[string]string{}
	for part := range strings.SplitSeq(strings.Join(settings, ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		fields[name] = value
	}
	key, ok := v.Shared[fields["key"]]
	switch {
	case !ok || key.IsZero():
		return secret.Text{}, nil, denied(settingsHeader + " names a shared key that is not set")
	case fields["algorithm"] != "HMAC_SHA256":
		return secret.Text{}, nil, denied(settingsHeader + " names another algorithm than HMAC_SHA256")
	}
	return key, sha256.New, nil
}

// bodyParams are the parameters of a form. A JSON body has none: its hash
// stands in the URL.
func bodyParams(r *http.Request, publicURL string, body []byte) (url.Values, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case len(body) == 0 && (err != nil || kind == "application/x-www-form-urlencoded"):
		return nil, nil
	case err != nil:
		return nil, denied("its Content-Type cannot be read")
	case kind == "application/x-www-form-urlencoded":
		params, err := url.ParseQuery(string(body))
		if err != nil {
			return nil, denied("its form cannot be read")
		}
		return params, nil
	}
	_, query, _ := strings.Cut(publicURL, "?")
	for pair := range strings.SplitSeq(query, "&") {
		if sum, ok := strings.CutPrefix(pair, "bodySHA256="); ok {
			got := sha256.Sum256(body)
			if !hmac.Equal([]byte(hex.EncodeToString(got[:])), []byte(sum)) {
				return nil, denied("its body is not the one that was signed")
			}
			return nil, nil
		}
	}
	return nil, denied("its body is no form, and its URL has no hash of it")
}

// signed is what is signed of a URL and of parameters.
func signed(u string, params url.Values) []byte {
	b := []byte(u)
	names := make([]string, 0, len(params))
	for name := range params {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		values := slices.Clone(params[name])
		slices.Sort(values)
		for _, value := range slices.Compact(values) {
			b = append(append(b, name...), value...)
		}
	}
	return b
}

// withPorts is a URL as it is, and without its port or with that of its scheme.
func withPorts(u string) []string {
	scheme, rest, ok := strings.Cut(u, "://")
	if !ok {
		return []string{u}
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host, tail := rest[:end], rest[end:]
	if at := strings.LastIndexByte(host, ':'); at > strings.LastIndexAny(host, "@]") {
		return []string{u, scheme + "://" + host[:at] + tail}
	}
	port := ":443"
	if scheme == "http" {
		port = ":80"
	}
	return []string{u, scheme + "://" + host + port + tail}
}
