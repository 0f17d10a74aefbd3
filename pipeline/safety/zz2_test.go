package safety

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestDbg(t *testing.T) {
	r := zrouter(t)
	text := os.Getenv("T")
	want := os.Getenv("R")
	m := r.newMatcher(tokenize([]string{text}))
	for i, tk := range m.tokens {
		fmt.Printf("%d:%s(p%d s%d h%v) ", i, tk.text, tk.part, tk.sentence, m.hidden[i])
	}
	fmt.Println()
	words := func(s span) string {
		o := []string{}
		for i := s.start; i < s.end; i++ {
			o = append(o, m.tokens[i].text)
		}
		return strings.Join(o, " ")
	}
	for _, ru := range r.rules {
		if !strings.HasPrefix(ru.id, want) {
			continue
		}
		for i, e := range ru.when {
			fmt.Printf("%s when[%d]", ru.id, i)
			for _, p := range e {
				fmt.Printf(" | ")
				for _, s := range m.find(p) {
					fmt.Printf("<%s>", words(s))
				}
			}
			fmt.Println()
			spans := m.all(e, func([]span) bool { return true })
			if spans != nil {
				parts := m.parts(spans)
				for k, u := range ru.unless {
					if m.within(u, parts) {
						fmt.Printf("   unless[%d]", k)
						for _, p := range u {
							for _, s := range m.find(p) {
								fmt.Printf("<%s>", words(s))
							}
						}
						fmt.Println()
					}
				}
			}
		}
		for k, u := range ru.unlessText {
			if m.anywhere(u) {
				fmt.Printf("   unlessText[%d]", k)
				for _, p := range u {
					for _, s := range m.find(p) {
						fmt.Printf("<%s>", words(s))
					}
				}
				fmt.Println()
			}
		}
	}
	fmt.Printf("%+v\n", r.Triage(Input{Text: text}))
}
