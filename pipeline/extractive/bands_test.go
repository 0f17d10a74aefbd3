package extractive

import "testing"

func TestFits(t *testing.T) {
	for _, tt := range []struct {
		question, passage string
		want              int
	}{
		{"aqi 180 can kids play outside", "At AQI 151-200, everyone should cut back.", 1},
		{"aqi 180 can kids play outside", "At AQI 101-150 (orange), sensitive groups should cut back.", -1},
		{"aqi 310", "Hazardous is 301 and up.", 1},
		{"aqi 310", "Good 0-50, Moderate 51-100.", -1},
		{"my sons lead is 48", "Follow-up goes by level: 3.5 to 19, 20 to 44, 45 or more.", 1},
		{"nivel de plomo 48", "Por nivel: 20 a 44, 45 o más.", 1},
		{"is lead bad", "At AQI 101-150.", 0},
		{"aqi 180", "Smoke can hurt.", 0},
		{"built in 1925", "Call 973-555-0100, 8:30 to 4:30.", 0},
		{"", "", 0},
		{"im 5 months pregnant", "It marks the top of children aged 1 to 5 years.", 0},
		{"mailed it 10 days ago", "Run cold water for 5 to 10 minutes.", 0},
		{"it was 4 one time and 11 the next", "Clean it every 3 to 4 weeks.", 0},
		{"for my 3 year old", "For ages 2-4 years.", 1},
		{"para mi hijo de 9 años", "De 2 a 4 años.", -1},
	} {
		if got := fits(figuresIn(tt.question), bandsIn(tt.passage)); got != tt.want {
			t.Errorf("fits(%q, %q) = %d, want %d", tt.question, tt.passage, got, tt.want)
		}
	}
}
