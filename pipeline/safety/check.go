package safety

import "strconv"

// checkTexts checks that every route has texts in every answered language, and
// that texts name no number that nobody gave.
func (b *builder) checkTexts() {
	for _, route := range b.r.routes {
		file, path := b.owner["route "+route.ID], "$.routes."+route.ID
		if len(route.Replies) == 0 {
			b.faults.add(file, path+".replies", "empty")
		}
		for j, reply := range route.Replies {
			at := path + ".replies[" + strconv.Itoa(j) + "]"
			if j == len(route.Replies)-1 && len(reply.Person)+len(reply.Hazard)+len(reply.Group) > 0 {
				b.faults.add(file, at, "the last reply must have no conditions")
			}
			b.marked(reply.Person, b.r.person, file, at+".person")
			b.marked(reply.Hazard, b.r.hazard, file, at+".hazard")
			b.marked(reply.Group, b.r.group, file, at+".group")
			b.needText(reply.First, file, at+".first")
			for _, id := range reply.More {
				b.needText(id, file, at+".more")
			}
		}
		for _, id := range []string{route.Add, route.Lead} {
			if id != "" {
				b.needText(id, file, path)
			}
		}
		if _, ok := b.r.texts[route.Elsewhere]; !ok && route.Elsewhere != "" {
			b.faults.add(file, path+".elsewhere", "no text %q", route.Elsewhere)
		}
	}
	for _, id := range sortedKeys(b.r.texts) {
		b.checkText(id)
	}
}

// marked checks that some mark can give each value.
func (b *builder) marked(values []string, marks []mark, file, path string) {
	for _, value := range values {
		known := false
		for _, m := range marks {
			known = known || m.is == value
		}
		if !known {
			b.faults.add(file, path, "no mark gives %q", value)
		}
	}
}

// needText checks that a text can be sent in every answered language.
func (b *builder) needText(id, file, path string) {
	byLang, ok := b.r.texts[id]
	if !ok {
		b.faults.add(file, path, "no text %q", id)
		return
	}
	for _, lang := range sortedKeys(b.r.languages) {
		if !b.r.languages[lang].answered {
			continue
		}
		if _, ok := b.r.fill(byLang[lang], lang); !ok {
			b.faults.add(file, path, "text %q has no variant in %q whose numbers are all given", id, lang)
		}
	}
}

func (b *builder) checkText(id string) {
	file := b.owner["text "+id]
	for _, lang := range sortedKeys(b.r.texts[id]) {
		path := "$.texts." + id + "." + lang
		if _, ok := b.r.languages[lang]; !ok && lang != otherKey {
			b.faults.add(file, path, "language %q is not among the core's", lang)
		}
		for i, s := range b.r.texts[id][lang] {
			for _, n := range numberForm.FindAllString(s, -1) {
				if !b.r.isNumber(n) {
					b.faults.add(file, path+"["+strconv.Itoa(i)+"]", "number %s is not among the numbers", n)
				}
			}
		}
	}
}
