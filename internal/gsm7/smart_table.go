package gsm7

// smartTable is made of smartGroups.
var smartTable = func() map[rune]string {
	t := make(map[rune]string, 300)
	for _, g := range smartGroups {
		for _, r := range g.from {
			t[r] = g.to
		}
	}
	return t
}()

// smartGroups lists what Twilio's smart encoding replaces, by replacement, as
// Twilio publishes it (github.com/TwilioDevEd/message-segment-calculator, MIT).
// None of the characters in from is GSM-7.
var smartGroups = []struct{ to, from string }{
	{"\"", "\u00ab\u00bb\u02ba\u02ee\u201c\u201d\u201e\u201f\u275d\u275e\u301d\u301e\uff02"},
	{"'", "\u0060\u00b4\u02b9\u02bb\u02bc\u02bd\u02c8\u02ca\u02cb\u0313\u0314\u2018\u2019\u201b\u275b\u275c\ufe10\ufe11\uff07"},
	{"/", "\u00f7\u0337\u0338\u2044\u2215\u29f8\uff0f"},
	{"1/4", "\u00bc"},
	{"1/2", "\u00bd"},
	{"3/4", "\u00be"},
	{"\\", "\u20e5\u29f5\u29f9\ufe68\uff3c"},
	{"_", "\u0332\u2017\uff3f"},
	{"|", "\u20d2\u20d3\u2223\u239c\u239f\u23b8\u23b9\u23d0\uff5c"},
	{"-", "\u2010\u2013\u2014\u2015\u2022\u2043\u23bc\u23bd\ufe63\uff0d"},
	{"@", "\ufe6b\uff20"},
	{"$", "\ufe69\uff04"},
	{"!", "\u01c3\ufe15\ufe57\uff01"},
	{"#", "\ufe5f\uff03"},
	{"%", "\ufe6a\uff05"},
	{"&", "\ufe60\uff06"},
	{",", "\u0326\u201a\u3001\ufe50\ufe51\uff0c\uff64"},
	{"(", "\u2768\u276a\u27ee\u2985\ufe59\uff08"},
	{")", "\u2769\u276b\u27ef\u2986\ufe5a\uff09"},
	{"*", "\u204e\u2217\u229b\u2722\u2723\u2724\u2725\u2731\u2732\u2733\u273a\u273b\u273c\u273d\u2743\u2749\u274a\u274b\u29c6\ufe61\uff0a"},
	{"+", "\u02d6\ufe62\uff0b"},
	{".", "\u3002\ufe52\uff0e\uff61"},
	{"0", "\uff10"},
	{"1", "\uff11"},
	{"2", "\uff12"},
	{"3", "\uff13"},
	{"4", "\uff14"},
	{"5", "\uff15"},
	{"6", "\uff16"},
	{"7", "\uff17"},
	{"8", "\uff18"},
	{"9", "\uff19"},
	{":", "\u02d0\u02f8\u2982\ua789\ufe13\uff1a"},
	{";", "\u204f\ufe14\ufe54\uff1b"},
	{"<", "\u203a\ufe64\uff1c"},
	{"=", "\u0347\ua78a\ufe66\uff1d"},
	{">", "\u2039\ufe65\uff1e"},
	{"?", "\ufe16\ufe56\uff1f"},
	{"A", "\u1d00\uff21"},
	{"B", "\u0299\uff22"},
	{"C", "\u1d04\uff23"},
	{"D", "\u1d05\uff24"},
	{"E", "\u1d07\uff25"},
	{"F", "\ua730\uff26"},
	{"G", "\u0262\uff27"},
	{"H", "\u029c\uff28"},
	{"I", "\u026a\uff29"},
	{"J", "\u1d0a\uff2a"},
	{"K", "\u1d0b\uff2b"},
	{"L", "\u029f\uff2c"},
	{"M", "\u1d0d\uff2d"},
	{"N", "\u0274\uff2e"},
	{"O", "\u1d0f\uff2f"},
	{"P", "\u1d18\uff30"},
	{"Q", "\uff31"},
	{"R", "\u0280\uff32"},
	{"S", "\ua731\uff33"},
	{"T", "\u1d1b\uff34"},
	{"U", "\u1d1c\uff35"},
	{"V", "\u1d20\uff36"},
	{"W", "\u1d21\uff37"},
	{"X", "\uff38"},
	{"Y", "\u028f\uff39"},
	{"Z", "\u1d22\uff3a"},
	{"^", "\u02c6\u0302\u1dcd\uff3e"},
	{"{", "\u2774\ufe5b\uff5b"},
	{"}", "\u2775\ufe5c\uff5d"},
	{"[", "\uff3b"},
	{"]", "\uff3d"},
	{"~", "\u02dc\u02f7\u0303\u0330\u0334\u223c\uff5e"},
	{"  ", "\u0080\u008d\u0090\u009b\u009f\u00a0\u2000\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"},
	{"", "\u0000\u0003\u0004\u0010\u0011\u0012\u0013\u0014\u0017\u0019\u200b\u2060\ufeff"},
	{"       ", "\u0009"},
	{"!!", "\u203c"},
	{" ", "\u2001\u2028\u2029"},
	{"...", "\u2026"},
}
