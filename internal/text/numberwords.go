package text

import (
	"strconv"
	"strings"
)

// smallNumbers are the number words below a hundred that stand alone; tens
// take a unit after them (twenty-five, treinta y cinco).
var smallNumbers = numbered(`
	0 zero cero
	1 one un uno una
	2 two dos
	3 three tres
	4 four cuatro
	5 five cinco
	6 six seis
	7 seven siete
	8 eight ocho
	9 nine nueve
	10 ten diez
	11 eleven once
	12 twelve doce
	13 thirteen trece
	14 fourteen catorce
	15 fifteen quince
	16 sixteen dieciseis
	17 seventeen diecisiete
	18 eighteen dieciocho
	19 nineteen diecinueve
	20 twenty veinte
	21 veintiun veintiuno veintiuna
	22 veintidos
	23 veintitres
	24 veinticuatro
	25 veinticinco
	26 veintiseis
	27 veintisiete
	28 veintiocho
	29 veintinueve
	30 thirty treinta
	40 forty fourty cuarenta
	50 fifty cincuenta
	60 sixty sesenta
	70 seventy setenta
	80 eighty ochenta
	90 ninety noventa
	100 cien ciento
	200 doscientos doscientas
	300 trescientos trescientas
	400 cuatrocientos cuatrocientas
	500 quinientos quinientas
	600 seiscientos seiscientas
	700 setecientos setecientas
	800 ochocientos ochocientas
	900 novecientos novecientas`)

func numbered(list string) map[string]int {
	m := make(map[string]int)
	for line := range strings.Lines(list) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		n, err := strconv.Atoi(words[0])
		if err != nil {
			panic(err) // the list above is constant
		}
		for _, w := range words[1:] {
			m[w] = n
		}
	}
	return m
}

// maxNumberWords bounds how many tokens a number in words may take.
const maxNumberWords = 12

// wordNumber reads the number in words that begins at token i: its digits and
// how many tokens it takes, 0 if none begins there. A fraction is written
// "1/2", a mixed one "1 1/2".
func (r *reader) wordNumber(i int) (value string, n int) {
	if value, n = r.wordFraction(i); n > 0 {
		return value, n
	}
	total, current, seen := 0, 0, false
	k := i
	for k < len(r.toks) && k-i < maxNumberWords {
		at := k
		if seen {
			switch r.toks[k].text {
			case "-", "y", "and":
				at++
			}
		}
		if at >= len(r.toks) {
			break
		}
		w := r.toks[at].text
		v, small := smallNumbers[w]
		switch {
		case small && !seen,
			small && v >= 100 && current == 0,
			small && v < 100 && current >= 100 && current%100 == 0,
			small && v > 0 && v < 10 && current%100 >= 20 && current%10 == 0,
			small && v < 1000 && seen && current == 0 && total > 0:
			current += v
		case w == "hundred" && current > 0 && current < 10:
			current *= 100
		case (w == "thousand" || w == "mil") && current > 0 && total == 0 && !r.stands(at+1, []string{"millones"}):
			total, current = current*1000, 0
		case w == "mil" && !seen && !r.stands(at+1, []string{"millones"}):
			total = 1000
		default:
			at = -1
		}
		if at < 0 {
			break
		}
		seen = true
		k = at + 1
	}
	if !seen {
		return "", 0
	}
	value = strconv.Itoa(total + current)
	if fraction, m := r.andFraction(k); m > 0 {
		return value + " " + fraction, k + m - i
	}
	return value, k - i
}

// andFraction reads "and a half" or "y media" after a number.
func (r *reader) andFraction(i int) (value string, n int) {
	for _, f := range []struct {
		words []string
		value string
	}{
		{[]string{"and", "a", "half"}, "1/2"},
		{[]string{"and", "one", "half"}, "1/2"},
		{[]string{"and", "a", "quarter"}, "1/4"},
		{[]string{"y", "media"}, "1/2"},
		{[]string{"y", "medio"}, "1/2"},
	} {
		if r.stands(i, f.words) {
			return f.value, len(f.words)
		}
	}
	return "", 0
}

// wordFraction reads half, two-thirds, three quarters, media, un cuarto and
// the like, with the "of a" or "de" that leads to a unit.
func (r *reader) wordFraction(i int) (value string, n int) {
	w := r.toks[i].text
	k := i
	top := 1
	if v, ok := smallNumbers[w]; ok && v >= 1 && v <= 7 {
		top = v
		k++
		if r.stands(k, []string{"-"}) {
			k++
		}
	} else if w == "a" {
		k++
	}
	if k >= len(r.toks) {
		return "", 0
	}
	bottom := 0
	switch r.toks[k].text {
	case "half", "media", "medio":
		bottom = 2
	case "third", "thirds", "tercio", "tercios":
		bottom = 3
	case "quarter", "quarters", "cuarto", "cuartos":
		bottom = 4
	case "eighth", "eighths", "octavo", "octavos":
		bottom = 8
	}
	// "third party" and "cuarto" (a room) are fractions only after a number.
	if bottom == 0 || k == i && bottom != 2 && r.toks[k].text != "quarter" {
		return "", 0
	}
	k++
	for _, link := range [][]string{{"of", "a"}, {"of", "an"}, {"of", "the"}, {"of"}, {"a"}, {"an"}, {"de", "un"}, {"de", "una"}, {"de"}, {"-"}} {
		if r.stands(k, link) {
			if _, m := r.unitAt(k + len(link)); m > 0 {
				k += len(link)
			}
			break
		}
	}
	return strconv.Itoa(top) + "/" + strconv.Itoa(bottom), k - i
}
