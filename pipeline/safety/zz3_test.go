package safety

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
)

func TestDict(t *testing.T) {
	r := zrouter(t)
	byID := map[int32]string{}
	for _, b := range r.words.fuzzy {
		for _, f := range b {
			byID[f.atom] = string(f.word)
		}
	}
	out := map[string][]string{}
	for _, f := range []string{"american-english", "spanish"} {
		fh, _ := os.Open("/usr/share/dict/" + f)
		sc := bufio.NewScanner(fh)
		for sc.Scan() {
			ts := tokenize([]string{sc.Text()})
			if len(ts) != 1 {
				continue
			}
			w := ts[0].text
			if r.known[w] {
				continue
			}
			if _, ok := r.words.exact[w]; ok {
				continue
			}
			for _, a := range r.words.atoms(w, false) {
				if c, ok := byID[a]; ok && c != w {
					out[c] = append(out[c], w)
				}
			}
		}
	}
	ks := []string{}
	for k := range out {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	for _, k := range ks {
		fmt.Println(k, ":", strings.Join(out[k], " "))
	}
}
