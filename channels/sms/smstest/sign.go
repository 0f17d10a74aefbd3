package smstest

import (
	"crypto/hmac"
	"crypto/sha1" // Twilio's choice
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/url"
	"slices"
)

// An Algorithm is what a webhook is signed by, as Twilio names it.
type Algorithm string

// The algorithms: the auth token's, and that of shared keys.
const (
	SHA1   Algorithm = "HMAC_SHA1"
	SHA256 Algorithm = "HMAC_SHA256"
)

// A SharedKey signs webhooks in place of the auth token (Twilio's Webhooks
// configuration API, in beta).
type SharedKey struct {
	Name string // as X-Twilio-Webhooks-Signature-Settings gives it
	Key  string
}

// Sign is Twilio's signature, in base64: the HMAC of the URL and then of each
// name with each of its distinct values, both in byte order. Of a JSON body
// nothing is signed but its hash in the URL; give no params.
func Sign(key string, by Algorithm, u string, params url.Values) string {
	hash := sha1.New
	if by == SHA256 {
		hash = sha256.New
	}
	mac := hmac.New(hash, []byte(key))
	mac.Write([]byte(u))
	for _, name := range slices.Sorted(maps.Keys(params)) {
		for _, value := range slices.Compact(slices.Sorted(slices.Values(params[name]))) {
			mac.Write([]byte(name))
			mac.Write([]byte(value))
		}
	}
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
