// Package safety tells emergencies from other messages before anything is
// retrieved or any model is asked, and holds the fixed texts that answer them.
//
// What it knows is data: the files in core, which are in every binary, and a
// file of the same form that a domain pack adds. [New] joins them; [Router.Triage]
// gives a [Verdict] and [Router.Text] what is said. A pack adds local numbers,
// routes and rules. It can take nothing from the core: New refuses it, naming
// every fault by file and JSON path.
//
// # How a message is read
//
// Text is folded to lower case without accents or apostrophes and cut into
// tokens; digits are parted from letters ("3yo" is 3, yo); runs of a letter are
// shortened ("heeelp"), digits within a word are read as letters ("su1cide"); a
// token may also stand for what "spellings" says (q is que). The words of an
// idiom ("my back is killing me") then count for nothing. Earlier texts of the
// same person are joined with the last one, in every way that ends with it, so
// that "my kid" and "drank bleach" are one message.
//
// # Patterns
//
// A pattern is steps that follow each other within a sentence:
//
//	word        this token
//	word*       a token that begins so
//	word~       this token, or one typing error away (two from eight letters on)
//	#           a number; #4 a number of four digits; #45-199 one in that range
//	@name       whatever the concept matches
//	( a | b c ) one of several sequences
//	step?       the step or nothing; a pattern neither begins nor ends with one
//	..  ..6     up to three, up to six tokens of any kind
//
// Alternatives may stand at the top as well: "a | b c". A concept lists patterns
// by language; its "except" cancels what it overlaps: fire, except fire hydrant; its
// "but" cancels it throughout: years ago, but not if it is happening again.
//
// # Rules
//
//	{"id": "swallowed.mine", "route": "swallowed",
//	 "when": ["@child & @poison & @spilled"],
//	 "unless": ["@animal_ate"], "unless_text": ["@study"]}
//
// A rule fires if one of its "when" matches: all patterns joined with & , none
// farther than 40 tokens from the first. "unless" cancels that match if it stands
// in the same sentence or message as any part of it, "unless_text" if it stands
// anywhere. Rules go by subject, event and circumstance: somebody in particular
// to whom it has happened alarms where a general question about it does not.
//
// Where no rule of an emergency fires, [Cues] are consulted: points for words and
// concepts, learned from labelled messages. They only ever add an emergency, and
// must tell more where a rule of a pinned route has fired.
//
// # Texts
//
// A text has variants by language; the first whose numbers are all known is sent.
// {id} and {id.name} stand for a number and what it is called, [NAME] and [PHONE]
// for what the operator's settings say. "marks" tell who is in danger ("person"),
// what must not be got wrong ("hazard") and who needs a word of their own
// ("group"); a route's "replies" choose by them.
package safety
