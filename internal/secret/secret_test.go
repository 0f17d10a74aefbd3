package secret

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestTextIsNotPrinted(t *testing.T) {
	const key = "the-key-itself"
	v := struct {
		T Text
		P *Text
	}{T: New(key)}
	v.P = &v.T
	var out strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+" "+verb+"\n", v, v.T)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(b)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "t", v.T, "v", v)
	if strings.Contains(out.String(), key) || strings.Contains(out.String(), fmt.Sprintf("%x", key)) {
		t.Errorf("the key is printed: %s", out.String())
	}
	if v.T.Reveal() != key || v.T.IsZero() || !New("").IsZero() || (Text{}).Reveal() != "" {
		t.Errorf("Reveal = %q, zero %t, %t", v.T.Reveal(), v.T.IsZero(), New("").IsZero())
	}
}
