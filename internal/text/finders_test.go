package text

import (
	"slices"
	"testing"
)

func TestPhones(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"no number", nil},
		{"973-555-0142", []string{"9735550142"}},
		{"(973) 555-0142, (973)555-0142", []string{"9735550142", "9735550142"}},
		{"+1 973 555 0142 y 1-973-555-0142", []string{"9735550142", "9735550142"}},
		{"9735550142 +19735550142 973.555.0142", []string{"9735550142", "9735550142", "9735550142"}},
		{"973\u00a0555\u20110142", []string{"9735550142"}},
		{"973-555-0142/973-555-0143", []string{"9735550142", "9735550143"}},
		{"1-800-222-1222 or 1-877-WARN-DEP", []string{"8002221222", "8779276337"}},
		{"call 911, text 988; 311 or 211", []string{"911", "988", "311", "211"}},
		{"call 811 before you dig; 811 homes", []string{"811"}},
		{"AQI is 211, 911 ppb, $211, 3.211, 211-day, 211,000, 1911", nil},
		{"sample 215805592 on 20260812-09 read 250 300 1000", nil},
		{"123-45-6789 and 4111-1111-1111-1111", nil},
		{"x973-555-0142 and 12973-555-01423", nil},
		{"CAS 7439-92-1", nil},
	} {
		got := Phones(tt.text)
		var digits []string
		for _, p := range got {
			digits = append(digits, p.Digits)
		}
		if !slices.Equal(digits, tt.want) {
			t.Errorf("Phones(%q) = %q, want %q", tt.text, digits, tt.want)
		}
		checkSpans(t, "Phones", tt.text, spansOf(got))
	}
}

func TestPhoneSpan(t *testing.T) {
	const text, want = "call (973) 555-0142, ok", "(973) 555-0142"
	if got := Phones(text); len(got) != 1 || got[0].In(text) != want {
		t.Errorf("Phones(%q) = %v, want one at %q", text, got, want)
	}
}

func TestURLs(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"see https://www.epa.gov/lead.", []string{"https://www.epa.gov/lead"}},
		{"(https://a.org/b_(c)), <http://d.org>", []string{"https://a.org/b_(c)", "http://d.org"}},
		{"www.example.org, epa.gov/lead?x=1 newarknj.gov!", []string{"www.example.org", "epa.gov/lead?x=1", "newarknj.gov"}},
		{"mail water@example.org or e.g. 3.5 ok.then", nil},
		{"end.Then go", nil},
		{"://x and https:", nil},
		{"[text](https://a.org/x)", []string{"https://a.org/x"}},
	} {
		var got []string
		for _, p := range URLs(tt.text) {
			got = append(got, p.In(tt.text))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("URLs(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestEmails(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"write to j_doe+water@mail.example.co.uk.", []string{"j_doe+water@mail.example.co.uk"}},
		{"<a@example.net> mailto:b@example.com?subject=hi", []string{"a@example.net", "b@example.com"}},
		{"niño@example.org", []string{"niño@example.org"}},
		{"@ a@ @b a@b", nil},
	} {
		var got []string
		for _, p := range Emails(tt.text) {
			got = append(got, p.In(tt.text))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("Emails(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestDates(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"from November 1, 2027 on", []string{"2027-11-01"}},
		{"Nov 1, 2027; Nov. 1st 2027; 1 November 2027; 1st of November, 2027", []string{"2027-11-01", "2027-11-01", "2027-11-01", "2027-11-01"}},
		{"1 de noviembre de 2027; el 1.º de mayo del 2027; primero de enero de 2028", []string{"2027-11-01", "2027-05-01", "2028-01-01"}},
		{"November 2024, noviembre de 2024, Feb. 2026", []string{"2024-11", "2024-11", "2026-02"}},
		{"November 15-March 15; del 15 de noviembre al 15 de marzo", []string{"--11-15", "--03-15", "--11-15", "--03-15"}},
		{"11/1/2027, 11-1-27, 31/12/2027", []string{"2027-11-01", "2027-11-01", "2027-12-31"}},
		{"2027-11-01 and 2027-11", []string{"2027-11-01", "2027-11"}},
		{"2022-23, 2023-2024, 2022–23", []string{"2022", "2023", "2023", "2024", "2022", "2023"}},
		{"in 2027. Since 1986, until 2031", []string{"2027", "1986", "2031"}},
		{"you may 5 times, or may 6 of us; on may 5; May 5 is", []string{"--05-05", "--05-05"}},
		{"February 30, 2027; February 29, 2027; Feb 29, 2028; 13/13/2027", []string{"2027", "2027", "2028-02-29"}},
		{"2000 gallons, 1,986 homes, $2027, #2027, 20271, 1899, the 1940s", nil},
		{"40 CFR 141.2027, Sample 20260812-09, 973-555-0127, 555-0119", nil},
		{"June 5.5 ppm; march 3 minutes", nil},
	} {
		got := Dates(tt.text)
		var iso []string
		for _, d := range got {
			iso = append(iso, d.ISO)
		}
		if !slices.Equal(iso, tt.want) {
			t.Errorf("Dates(%q) = %q, want %q", tt.text, iso, tt.want)
		}
		checkSpans(t, "Dates", tt.text, spansOf(got))
	}
}

func TestNegations(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"Boil it.", nil},
		{"Do not drink it. Don’t boil it, dont wash.", []string{"not", "don't", "dont"}},
		{"Boiling does NOT remove lead; it can't.", []string{"not", "can't"}},
		{"No lo hierva, nunca; ni sin filtro. Ningún límite, jamás.", []string{"no", "nunca", "ni", "sin", "ningun", "jamas"}},
		{"Without it there is no safe level: none", []string{"without", "no", "none"}},
		{"pipe No. 5; the answer is no. 5 homes. No. 15 ppb is over", []string{"no", "no"}},
		{"nothing, neither, nor, cannot, never", []string{"nothing", "neither", "nor", "cannot", "never"}},
		{"note, know, another, nonetheless", nil},
	} {
		got := Negations(tt.text)
		var words []string
		for _, n := range got {
			words = append(words, n.Word)
		}
		if !slices.Equal(words, tt.want) {
			t.Errorf("Negations(%q) = %q, want %q", tt.text, words, tt.want)
		}
		checkSpans(t, "Negations", tt.text, spansOf(got))
	}
}
