package llm

import (
	"os"
	"strings"
	"testing"

	"plumbline/bot"
)

// Reversals and weakenings in everyday words, each of which a gate that counts
// words let through.
func TestDiffers(t *testing.T) {
	for _, tt := range []struct {
		part, told string
		lang       bot.Language
	}{
		{"In a poisoning, do not make the person vomit unless a poison expert tells you to.", "In a poisoning, make the person vomit only if a poison expert tells you not to.", "en"},
		{"No haga vomitar a la persona a menos que se lo diga un experto.", "Haga vomitar a la persona a menos que no se lo diga un experto.", "es"},
		{"Boiling does not take PFAS out of water.", "Boiling does not take all PFAS out of water.", "en"},
		{"Boiling does not take PFAS out of water.", "Boiling does not just take PFAS out of water.", "en"},
		{"Boiling does not take PFAS out of water.", "Boiling does not take PFAS out of water quickly.", "en"},
		{"Boiling does not take PFAS out of water.", "Boiling does not take PFAS out of water. Boiling water takes PFAS out slowly.", "en"},
		{"Bring water to a full rolling boil for 1 minute.", "Bring water almost to a full rolling boil for 1 minute.", "en"},
		{"Bring water to a full rolling boil for 1 minute.", "Bring water to a full rolling boil in 1 minute.", "en"},
		{"The water should smell slightly of chlorine.", "The water should smell strongly of chlorine.", "en"},
		{"Boil tap water even if it went through a filter.", "Boil tap water only when it went through a filter.", "en"},
		{"Boil tap water even if it went through a filter.", "Boil tap water if it went through a filter.", "en"},
		{"Throw out ice made after a boil advisory.", "Throw out ice made before a boil advisory.", "en"},
		{"Don't swallow water.", "Don't just swallow water.", "en"},
		{"Use it for baby formula.", "Use it for baby formula, or plain tap water.", "en"},
		{"Pour it through a paper towel, then boil it.", "Pour it through a paper towel instead of boiling it.", "en"},
		{"Brown water isn't harmful; wait until it's clear to drink.", "Brown water isn't harmful; it's clear to drink.", "en"},
		{"It is not a line between safe and unsafe water.", "It is not just a line between safe and unsafe water.", "en"},
		{"The level is 15 ppb.", "The level is 15 ppb. Under the level water is good.", "en"},
		{"The risk is much lower than that of undisinfected surface water.", "The risk is much higher than that of undisinfected surface water.", "en"},
		{"If it clears from the bottom, it is air. If from the top, it is sediment.", "If it clears from the top, it is air. If from the bottom, it is sediment.", "en"},
		{"Chlorine leaves standing water. Chloramine does not.", "Chloramine leaves standing water. Chlorine does not.", "en"},
		{"Nitrate is a risk to babies.", "Nitrate is a small risk to babies.", "en"},
		{"Call 911 now.", "Call 911 later.", "en"},
		{"Call Poison Help.", "Wait and see before you call Poison Help.", "en"},
		{"It does not make the water safe.", "It does not always make the water safe.", "en"},
		{"All returned to compliance.", "All remain in violation.", "en"},
		{"Hierva el agua a borbotones.", "Hierva el agua casi a borbotones.", "es"},
		{"Hervir no quita los PFAS.", "Hervir no quita todos los PFAS.", "es"},
		{"No es una linea entre agua segura e insegura.", "No es solo una linea entre agua segura e insegura.", "es"},
		{"Boil water for babies or adults.", "Boil water for babies and adults.", "en"},
		{"The limit is 1.5 mg/L.", "The limit is 15 mg/L.", "en"},
		{"Run the cold tap. Don't run hot.", "Run the hot tap. Don't run cold.", "en"},
	} {
		if got := differs(tt.part, tt.told, tt.lang); got == "" {
			t.Errorf("differs(%q, %q) finds nothing", tt.part, tt.told)
		}
	}
	for _, tt := range []struct {
		part, told string
		lang       bot.Language
	}{
		{"If the pipe is lead, that pipe is normally the largest source of lead in its water.", "If the pipe is lead, that pipe is usually the biggest source of lead in its water.", "en"},
		{"Do not use hot water.", "Don't use hot water.", "en"},
		{"Lead usually gets into water after it leaves the treatment plant, when lead pipes corrode.", "Lead usually gets into water after it leaves the treatment plant. It happens when lead pipes corrode (wear away).", "en"},
		{"15 percent of 1,300 homes", "15% of 1300 homes", "en"},
		{"Scratched copper has the color of a penny, and plastic is easy to recognize.", "Scratched copper has the color of a penny. Plastic is easy to spot.", "en"},
		{"El plomo se puede acumular en el cuerpo.", "El plomo se puede juntar en el cuerpo.", "es"},
		{"Boil it for 1 minute.", "Please boil it for 1 minute.", "en"},
	} {
		if got := differs(tt.part, tt.told, tt.lang); got != "" {
			t.Errorf("differs(%q, %q) = %s, want nothing", tt.part, tt.told, got)
		}
	}
}

// The words of one group may not stand in another, or a chain of groups would
// make words the same that nobody looked at.
func TestGroups(t *testing.T) {
	for lang, list := range groups {
		seen := map[string]int{}
		for i, g := range list {
			for _, p := range g {
				if at, ok := seen[p]; ok && at != i {
					t.Errorf("%s: %q stands in two groups", lang, p)
				}
				seen[p] = i
			}
		}
	}
}

// Lies that somebody wrote who tried to get them past the gates: lines under the
// wording that they are told for.
func TestLies(t *testing.T) {
	data, err := os.ReadFile("testdata/lies.txt")
	if err != nil {
		t.Fatal(err)
	}
	lang, part, n := bot.English, "", 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "@"):
			lang = bot.Language(line[strings.LastIndex(line, " ")+1:])
		case strings.HasPrefix(line, "= "):
			part = line[2:]
		default:
			n++
			if differs(part, line, lang) == "" {
				t.Errorf("%q passes for %q", line, part)
			}
		}
	}
	if n < 90 {
		t.Errorf("%d lies, want all of the file", n)
	}
}
