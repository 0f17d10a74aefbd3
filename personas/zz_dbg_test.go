package personas

import (
	"fmt"
	"testing"

	"plumbline/bot"
)

func TestDbg(t *testing.T) {
	g := testGuard(t)
	for _, p := range [][2]string{
		{"New Jersey health officials say baths, laundry, dishes and rinsing produce are not major ways to take in PFAS. Drinking and cooking are.", "New Jersey health officials say baths, laundry, dishes and rinsing produce are major ways to take in PFAS. Drinking and cooking are not."},
		{"La mayoría de los filtros de casa no protegen de los gérmenes. Si hay aviso de hervir el agua, hiérvala de todos modos.", "La mayoría de los filtros de casa protegen de los gérmenes. Si hay aviso de hervir el agua, no hace falta hervirla."},
		{"Si hay aviso de hervir puede bañarse, pero no trague agua. A bebés y niños pequeños lávelos con esponja.", "Si hay aviso de hervir no puede bañarse, pero puede tragar agua. A bebés y niños pequeños lávelos con esponja."},
	} {
		c := g.compare([]bot.Claim{{Text: p[0]}}, nil, []string{p[1]}, nil)
		fmt.Println(c.oneLanguage, c.covered)
		for _, n := range c.claims[0].negators {
			fmt.Println(" S", n.word, n.soft, n.scope)
		}
		for _, n := range c.told.negators {
			fmt.Println(" T", n.word, n.soft, n.scope)
		}
	}
}
