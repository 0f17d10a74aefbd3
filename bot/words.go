package bot

// A Word is a command that a whole message can be, such as MORE.
type Word string

// The words. What people write for them is in words.json.
const (
	WordNone     Word = ""
	WordMore     Word = "more"
	WordWhy      Word = "why"
	WordSources  Word = "sources"
	WordHelp     Word = "help"
	WordStop     Word = "stop"
	WordStart    Word = "start"
	WordYes      Word = "yes" // START for someone who opted out, the crisis text after one, an answer otherwise
	WordPerson   Word = "person"
	WordForget   Word = "forget"
	WordMyData   Word = "my_data"
	WordPersona  Word = "persona"  // "talk to me like city hall"
	WordLanguage Word = "language" // "ESPAÑOL"
)
