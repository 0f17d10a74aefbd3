// Package bot is the vocabulary of the service: who said what and where, what
// we found out, how sure we are, and what we say back. It imports nothing else
// of ours but leaves under internal, and everything else of ours imports it.
//
// A [Message] comes in on a channel. The pipeline turns its [Question] into an
// [Answer]: claims that quote evidence, limitations that come from open gaps,
// and the [Trace] of every step. A [Reply] is that answer fitted to the channel.
//
// The interfaces here are the seams of the program. They belong to their
// callers; other packages implement them without registering anything, and
// cmd/plumbline joins the values it wants.
package bot
