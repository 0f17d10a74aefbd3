package gsm7

import (
	"slices"
	"strings"
	"unicode"
)

// spanishFold takes the accents off the vowels that GSM-7 lacks; é, ñ, ü and
// the rest of Spanish are in GSM-7 and stay.
var spanishFold = strings.NewReplacer("á", "a", "í", "i", "ó", "o", "ú", "u", "Á", "A", "Í", "I", "Ó", "O", "Ú", "U")

// FoldSpanish writes á, í, ó and ú without their accent if the text then takes
// fewer segments, and reports whether it did. Otherwise the text is returned
// as it came.
func FoldSpanish(text string) (string, bool) {
	folded := spanishFold.Replace(text)
	if folded == text {
		return text, false
	}
	before, after := measure(text), measure(folded)
	if after.segments() < before.segments() {
		return folded, true
	}
	return text, false
}

// FoldChangesWord lists the words of a Spanish text that FoldSpanish would turn
// into another word (está into esta, tomó into tomo), each once, as they stand
// and in order, for a person to reword. Words whose accent GSM-7 has (qué, él,
// té, sé) are safe.
func FoldChangesWord(text string) []string {
	var found []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if foldIsAnotherWord(strings.ToLower(w)) && !slices.Contains(found, w) {
			found = append(found, w)
		}
	}
	return found
}

func foldIsAnotherWord(w string) bool {
	folded := spanishFold.Replace(w)
	if folded == w {
		return false
	}
	if _, ok := foldedWords[w]; ok {
		return true
	}
	// tomó/tomo and tomará/tomara: the past and the future of every verb in -ar.
	switch {
	case strings.HasSuffix(w, "ó"):
		return !strings.HasSuffix(w, "ió") && len(w) > len("dó")
	case hasAnySuffix(w, "ará", "arás", "arán"):
		return !slices.Contains(futuresApart, strings.TrimRight(folded, "sn"))
	}
	return false
}

// futuresApart are futures in -ará without a twin in -ara.
var futuresApart = []string{"dara", "estara", "hara"}

func hasAnySuffix(s string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(s, suffix) })
}

// foldedWords are words that without their accent are another word; what
// foldIsAnotherWord finds by its ending is not listed.
var foldedWords = func() map[string]struct{} {
	m := make(map[string]struct{})
	for _, w := range strings.Fields(`
		más mí sí tú aún sólo está estás cómo cuándo dónde adónde cuál cuáles
		cuánto cuánta cuántos cuántas cuán papá papás mamá mamás río hacía sabía
		sabías sería serías irá irás verás secretaría secretarías
		cambió limpió varió copió inició anunció financió estudió pronunció
		negoció denunció premió odió evidenció ensució alivió
		varía continúa continúas continúo
		límite límites líquido líquida depósito práctica prácticas
		práctico público pública públicas número título válido válida
		cálculo crítica críticas crítico hábito fábrica fábricas máscara máscaras
		ánimo ánima última últimas último próspero íntegro íntegra tránsito
		trámite trámites diagnóstico pronóstico artículo vínculo óxido rótulo
		círculo estímulo prórroga catálogo diálogo tráfico página páginas lástima
		lástimas sábana sábanas íntimo íntima fórmula fórmulas máquina máquinas
		específica específicas específico vómito capítulo ópera óperas
		árbitro júbilo cáscara cáscaras lámina láminas
		`) {
		m[w] = struct{}{}
	}
	return m
}()
