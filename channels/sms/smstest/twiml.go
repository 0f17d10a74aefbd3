package smstest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Verb is an instruction of TwiML.
type Verb struct {
	Name  string
	Attrs map[string]string
	Text  string // what is in it, its Body if it has one
}

// A grammar says which verbs there are, with which attributes: of Twilio's
// those that the fake heeds.
type grammar map[string][]string

var (
	messaging = grammar{"Message": {"to"}}
	calling   = grammar{"Say": {"voice", "language", "loop"}, "Pause": {"length"}, "Hangup": {}, "Play": {"loop", "digits"}, "Reject": {"reason"}}
)

// spoken are languages that <Say> speaks: those of the United States' people
// that Twilio's table has, and a few more.
var spoken = []string{
	"en-US", "en-GB", "en-AU", "en-IN", "es-US", "es-MX", "es-ES", "fr-FR", "fr-CA", "pt-BR", "pt-PT", "zh-CN", "zh-TW", "cmn-CN", "zh-HK",
	"yue-CN", "ko-KR", "ja-JP", "de-DE", "it-IT", "ru-RU", "pl-PL", "arb", "ar-AE", "hi-IN", "vi-VN", "fil-PH", "uk-UA",
}

// parseTwiML reads the reply to a webhook; code and why say what Twilio would
// say is wrong with it.
func parseTwiML(r reply, g grammar) (verbs []Verb, code int, why string) {
	kind, _, err := mime.ParseMediaType(r.kind)
	switch {
	case err != nil || kind != "text/xml" && kind != "application/xml":
		return nil, 12300, "the reply's Content-Type is neither text/xml nor application/xml"
	case len(r.body) > maxReply:
		return nil, 11750, "the reply has more than 64 KiB"
	}
	d := xml.NewDecoder(bytes.NewReader(r.body))
	root := false
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) && root {
			return verbs, 0, ""
		}
		if err != nil {
			return nil, 12100, "the reply is not XML, or not whole"
		}
		switch t := t.(type) {
		case xml.Directive:
			return nil, 12100, "the reply has a DOCTYPE"
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return nil, 12100, "the reply has text around its root"
			}
		case xml.StartElement:
			if root {
				return nil, 12100, "the reply has two roots"
			}
			if root = true; t.Name.Local != "Response" || t.Name.Space != "" {
				return nil, 12102, "the reply's root is not Response"
			}
			if verbs, code, why = readVerbs(d, g); code != 0 {
				return nil, code, why
			}
		}
	}
}

// readVerbs reads up to the end of Response.
func readVerbs(d *xml.Decoder, g grammar) (verbs []Verb, code int, why string) {
	for {
		t, err := d.Token()
		if err != nil {
			return nil, 12100, "the reply is not XML, or not whole"
		}
		switch t := t.(type) {
		case xml.EndElement:
			return verbs, 0, ""
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return nil, 12200, "the reply has text between its verbs"
			}
		case xml.StartElement:
			known, ok := g[t.Name.Local]
			if !ok {
				return nil, 12200, fmt.Sprintf("no verb here is called %q", t.Name.Local)
			}
			v := Verb{Name: t.Name.Local, Attrs: map[string]string{}}
			for _, a := range t.Attr {
				if !slices.Contains(known, a.Name.Local) {
					return nil, 12200, fmt.Sprintf("<%s> has no attribute %q", v.Name, a.Name.Local)
				}
				v.Attrs[a.Name.Local] = a.Value
			}
			if v.Text, code, why = readText(d, v.Name); code != 0 {
				return nil, code, why
			}
			if code, why = v.check(); code != 0 {
				return nil, code, why
			}
			verbs = append(verbs, v)
		}
	}
}

// readText reads the text of a verb, up to its end.
func readText(d *xml.Decoder, verb string) (text string, code int, why string) {
	var own, body strings.Builder
	for depth, in := 0, ""; ; {
		t, err := d.Token()
		if err != nil {
			return "", 12100, "the reply is not XML, or not whole"
		}
		switch t := t.(type) {
		case xml.EndElement:
			if depth == 0 {
				if body.Len() > 0 {
					return body.String(), 0, ""
				}
				return own.String(), 0, ""
			}
			depth, in = depth-1, ""
		case xml.StartElement:
			if in = t.Name.Local; verb != "Message" || depth > 0 || in != "Body" && in != "Media" {
				return "", 12200, fmt.Sprintf("<%s> holds no %q", verb, in)
			}
			depth++
		case xml.CharData:
			switch in {
			case "":
				own.Write(t)
			case "Body":
				body.Write(t)
			}
		}
	}
}

// check says what is wrong with a verb alone.
func (v Verb) check() (code int, why string) {
	text := strings.TrimSpace(v.Text)
	language, said := v.Attrs["language"]
	switch {
	case v.Name == "Say" && text == "":
		return 13520, "<Say> says nothing"
	case v.Name == "Say" && utf8.RuneCountInString(v.Text) > 4096:
		return 13521, "<Say> has more than 4096 characters"
	case said && !slices.Contains(spoken, language):
		return 12200, fmt.Sprintf("<%s> does not speak %q", v.Name, language)
	case v.Name == "Play" && text == "" && v.Attrs["digits"] == "":
		return 12200, "<Play> plays nothing"
	case (v.Name == "Pause" || v.Name == "Hangup" || v.Name == "Reject") && text != "":
		return 12200, fmt.Sprintf("<%s> holds text", v.Name)
	}
	for _, name := range []string{"length", "loop"} {
		if n, ok := v.Attrs[name]; ok {
			if i, err := strconv.Atoi(n); err != nil || i < 0 {
				return 12200, fmt.Sprintf("%s of <%s> is no number", name, v.Name)
			}
		}
	}
	return 0, ""
}
