package safety

import "testing"

func BenchmarkZ(b *testing.B) {
	r := zrouter(b)
	b.ReportAllocs()
	for b.Loop() {
		r.Triage(Input{Text: "Hello, I would like to know how long I should run my tap after the city changed the lead pipe, and can I give the water to my baby?"})
	}
}
