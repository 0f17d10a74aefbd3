package bm25

// Stop words are those that say nothing about what a text is about: articles,
// the commonest prepositions, to be, to have and to do, pronouns, and the words
// that open a question. Texts that ask are full of them and documents that
// state are not, so idf would take "my" and "how" for telling words. What may
// turn a meaning stays, though BM25 makes little of it: no, not, can, should,
// without, before, after, until, only, all, more, less. Spanish words stand as
// folded, so "sí" and "más" would be "si" and "mas".
var (
	stopsEnglish = set(
		"a", "an", "the",
		"of", "to", "in", "on", "at", "for", "from", "by", "with", "as",
		"and", "or", "but", "if", "that", "this", "these", "those", "there",
		"is", "are", "was", "were", "be", "been", "being", "am", "do", "does", "did",
		"has", "have", "had",
		"i", "im", "ive", "me", "my", "we", "our", "us", "you", "u", "ur", "your", "he", "his", "she", "her",
		"it", "its", "they", "their", "them",
		"what", "whats", "which", "who", "how", "when", "where", "why",
	)
	stopsSpanish = set(
		"el", "la", "los", "las", "un", "una", "unos", "unas", "lo",
		"de", "del", "a", "al", "en", "por", "para", "con",
		"y", "e", "o", "u", "pero", "si", "que", "q", "este", "esta", "estos", "estas", "ese", "esa", "eso", "esto",
		"es", "son", "era", "ser", "soy", "sea", "estan", "estoy", "estaba", "hay", "ha", "han", "he",
		"me", "mi", "mis", "te", "tu", "tus", "se", "su", "sus", "le", "les", "nos", "yo", "usted", "ustedes",
		"como", "cual", "cuales", "quien", "cuando", "donde", "porque",
	)
)

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
