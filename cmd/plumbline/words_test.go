package main

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"plumbline/bot"
)

// A word of the conversation is heard, whatever shares its words with danger:
// FORGET erases, and a message that as a whole asks us to stop does. An
// unclear one in danger is an emergency, and so is every other message that
// the safety rules take for one.
func TestWordsAreNoEmergencies(t *testing.T) {
	a := devApp(t)
	p, err := a.Answerer()
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Conversation(p)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	heard := func(text string, want bot.Word) {
		t.Helper()
		word, _ := bot.Hear(text)
		if word != want || c.Urgent(text) {
			t.Errorf("%q is heard as %q, urgent %t; want %q and not urgent", text, word, c.Urgent(text), want)
		}
		n++
	}
	var phrases map[bot.Word]map[string][]string
	b, err := os.ReadFile("../../bot/words.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &phrases); err != nil {
		t.Fatal(err)
	}
	for word, byLanguage := range phrases {
		for _, list := range byLanguage {
			for _, text := range list {
				heard(text, word)
			}
		}
	}
	f, err := os.Open("../../bot/testdata/optout.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var row struct{ Text, Want string }
		if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if word, _ := bot.Hear(row.Text); word == bot.WordStop {
			heard(row.Text, bot.WordStop)
		}
	}
	if n < 500 {
		t.Errorf("%d phrases, want all", n)
	}
	for _, text := range []string{"will you tell my mom i took all the pills", "stop he is not breathing", "i want to end it all", "please stop my husband is hitting me", "ya no quiero vivir"} {
		if !c.Urgent(text) {
			t.Errorf("%q is not urgent", text)
		}
	}
}
