// Package web is what our pages have in common: the headers that keep a
// browser from running anything that is not ours, and errors that a visitor
// may see.
package web

import (
	"errors"
	"log/slog"
	"net/http"

	"plumbline/bot"
)

// Guard wraps h with a strict content security policy (no inline script or
// style, nothing from elsewhere), refuses cross-origin posts, and keeps pages
// out of caches and frames.
func Guard(h http.Handler) http.Handler {
	var cross http.CrossOriginProtection
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cache-Control", "no-store")
		cross.Handler(h).ServeHTTP(w, r)
	})
}

// Status is the HTTP status of a kind of error.
func Status(err error) int {
	switch {
	case errors.Is(err, bot.ErrInvalid):
		return http.StatusBadRequest
	case errors.Is(err, bot.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, bot.ErrDenied):
		return http.StatusForbidden
	case errors.Is(err, bot.ErrConflict):
		return http.StatusConflict
	case errors.Is(err, bot.ErrExhausted):
		return http.StatusTooManyRequests
	case errors.Is(err, bot.ErrUnavailable):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// Fail answers a request with the kind of err, never its text, and logs what
// is our fault.
func Fail(w http.ResponseWriter, r *http.Request, log *slog.Logger, err error) {
	status := Status(err)
	if status >= 500 {
		log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "err", err)
	}
	http.Error(w, http.StatusText(status), status)
}
