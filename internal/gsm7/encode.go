package gsm7

// Options say how Encode may rewrite a text. The zero Options leave it alone.
type Options struct {
	Lang    string // the language of the text, for Fold's words: "es", else English
	Fold    bool   // write signs as Fold does
	Spanish bool   // take accents off, as FoldSpanish does, where that saves a segment
	Smart   bool   // the sender smart-encodes: what remains is rewritten as Smart does
}

// Encode is what to send and what it costs.
func Encode(text string, o Options) (string, Cost) {
	if o.Fold {
		text = FoldIn(o.Lang, text)
	}
	if o.Spanish {
		text, _ = FoldSpanish(text)
	}
	if o.Smart {
		text = Smart(text)
	}
	return text, Count(text)
}
