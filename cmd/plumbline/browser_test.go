package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"plumbline/channels/web/browsertest"
)

// A visit is a person's way through the page.
type visit struct {
	browsertest.Tab
	t    *testing.T
	seen int // messages on the screen
}

// see waits for that many more messages and returns the text of the last.
func (v *visit) see(more int) string {
	v.t.Helper()
	v.seen += more
	v.Await(fmt.Sprintf(`document.querySelectorAll("#thread .bubble").length === %d && document.getElementById("typing").hidden && !document.getElementById("state").textContent`, v.seen))
	return browsertest.Eval[string](v.Tab, browsertest.LastText)
}

// text types a text, sends it and returns the last of the replies.
func (v *visit) text(text string, replies int) string {
	v.t.Helper()
	v.Do("type "+text, chromedp.SendKeys("#text", text+kb.Enter))
	return v.see(1 + replies)
}

// press presses the button that texts value, and returns the reply. Where the
// button is one of the other ways, they are opened first.
func (v *visit) press(value string, way bool) string {
	v.t.Helper()
	if way {
		v.Do("open the other ways", chromedp.Click("#ways summary", chromedp.NodeVisible))
	}
	v.Do("press "+value, chromedp.Click(fmt.Sprintf(`button[value=%q]`, value), chromedp.NodeVisible))
	return v.see(2)
}

// holds fails the test for what of want is not in got.
func (v *visit) holds(what, got string, want ...string) {
	v.t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			v.t.Errorf("%s: %q is not there:\n%s", what, w, got)
		}
	}
}

// lacks fails the test for what of unwanted is in got.
func (v *visit) lacks(what, got string, unwanted ...string) {
	v.t.Helper()
	for _, w := range unwanted {
		if strings.Contains(got, w) {
			v.t.Errorf("%s: %q is there:\n%s", what, w, got)
		}
	}
}

// visible is what can be read on the phone, hidden words left out.
func (v *visit) visible() string {
	return browsertest.Eval[string](v.Tab, `document.getElementById("phone").innerText`)
}

// whole fails the test for numbers that are broken over two lines.
func (v *visit) whole() {
	v.t.Helper()
	if broken := browsertest.Eval[[]string](v.Tab, `[...document.querySelectorAll("#thread .text a")].filter(a => a.getClientRects().length > 1).map(a => a.textContent)`); len(broken) > 0 {
		v.t.Errorf("these numbers are broken over two lines: %q", broken)
	}
}

// inView fails the test if what selector finds last cannot be seen whole.
func (v *visit) inView(what, selector string) {
	v.t.Helper()
	if out := browsertest.Eval[string](v.Tab, fmt.Sprintf(`(() => {
		const e = [...document.querySelectorAll(%q)].at(-1);
		if (!e) return "it is not there";
		const b = e.getBoundingClientRect(), t = document.getElementById("talk").getBoundingClientRect();
		return b.top < t.top - 1 || b.bottom > t.bottom + 1 || b.left < t.left || b.right > t.right ? JSON.stringify([b, t]) : "";
	})()`, selector)); out != "" {
		v.t.Errorf("%s: not in view: %s", what, out)
	}
}

// A person's whole way through the page that serve gives: what they see comes
// of the real packs, the real pipeline and a real database.
func TestServeInABrowser(t *testing.T) {
	browser := browsertest.Chromium(t)
	for name, s := range map[string]browsertest.Size{"phone": browsertest.Phone, "desktop": browsertest.Desktop} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, _, stop := serving(t, "serve", "--addr", "127.0.0.1:0", "--as-of", "2026-11-30")
			defer stop()
			v := &visit{Tab: browsertest.Open(t, browser, s, addr, browsertest.Media(false)), t: t}
			shot := func(what string) { v.Shot("serve-" + name + "-" + what) }
			v.Await(`document.activeElement.id === "text"`)
			v.Do("mark the page", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
				_, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("window.same = true"))
				return err
			}))
			v.holds("the empty page", v.visible(), "Plumbline", "Drinking water", "Automated line, not a person.", "911", "Demo: wordings not yet approved.", "Text a question in your own words.", "?")
			v.Fits("empty")
			shot("empty")

			intro := v.text("my water is brown is my baby ok??", 2)
			v.holds("the first contact", intro, "Plumbline's automated", "not a person", "STOP")
			answer := browsertest.Eval[string](v.Tab, `document.querySelectorAll("#thread .bubble.theirs .text")[0].textContent`)
			v.holds("the answer", answer, "I can't see your child: if sick, call the doctor.", "973-733-3654", "MORE")
			v.holds("the answer's number", browsertest.Eval[string](v.Tab, `[...document.querySelectorAll("#thread .text a")].map(a => a.href).join(" ")`), "tel:9737333654")
			v.holds("what it costs", v.visible(), "2 segments", "GSM-7", "1.66¢")
			v.holds("what is offered", browsertest.Eval[string](v.Tab, `[...document.querySelectorAll("#thread .quick button")].map(b => b.textContent).join(" ")`), "MORE", "WHY", "SOURCES")
			v.inView("after the first answer", "#thread .bubble")
			v.Await(`document.querySelector("#organiser .told")`)
			organiser := browsertest.Eval[string](v.Tab, `document.getElementById("organiser").innerText`)
			v.holds("the organiser's view", organiser, "Answered, with limits", "For the council record", "Source: ", "What is not known", "I can't see your child", "What the sources say", "Horsham Water & Sewer Authority")
			v.Fits("answered")
			shot("answered")
			if name == "desktop" {
				v.Do("make room", chromedp.EmulateViewport(s.Width, 932))
				shot("whole")
				v.Do("undo it", chromedp.EmulateViewport(s.Width, s.Height))
			}

			followed := v.text("ok so if i boil it does that fix it", 1)
			if l := strings.ToLower(followed); !strings.Contains(l, "brown") && !strings.Contains(l, "boil") {
				t.Errorf("the follow-up gets what is not about brown water and boiling: %s", followed)
			}
			v.lacks("the follow-up", browsertest.Eval[string](v.Tab, `document.querySelectorAll("#thread .quick").length + " offers"`), "0 offers", "2 offers")
			more := v.press("MORE", false)
			v.lacks("MORE", more, followed, "no more")
			if len(more) < 40 {
				t.Errorf("MORE gets %q", more)
			}

			v.Do("open the other ways", chromedp.Click("#ways summary", chromedp.NodeVisible))
			shot("ways")
			v.Fits("ways")
			v.holds("the other ways", v.visible(), "Voice and language", "Español", "Start over")
			v.Do("close them", chromedp.KeyEvent(kb.Escape))
			told := v.press("talk to me like city hall", true)
			v.holds("in the voice of city hall", told, "Source: ")

			v.holds("in Spanish", v.press("ESPAÑOL", true), "Fuente: ")
			v.Await(`document.documentElement.lang === "es"`)
			page := v.visible()
			v.holds("the page in Spanish", page, "Línea automática, no una persona.", "Agua")
			v.lacks("the page in Spanish", page, "Automated line", "Demo: wordings", "Drinking water")
			v.holds("a question in Spanish", v.text("cuanto tiempo hiervo el agua", 1), "1 minuto", "Fuente: ")
			v.Await(`document.querySelector("#organiser .told")?.textContent.includes("hierva")`)

			urgent := v.text("mi hijo se tomo cloro", 1)
			v.holds("the emergency", urgent, "Llame al 911 YA", "1-800-222-1222")
			v.inView("the emergency", "#thread .urgent .text")
			v.holds("the emergency's numbers", browsertest.Eval[string](v.Tab, `[...document.querySelectorAll("#thread .urgent .text a")].map(a => a.href).join(" ")`), "tel:911", "tel:18002221222")
			v.holds("the emergency's colour", browsertest.Eval[string](v.Tab, `getComputedStyle([...document.querySelectorAll("#thread .urgent .text")].at(-1)).backgroundColor`), "rgb(163, 19, 24)")
			v.Await(`document.querySelector("#organiser .emergency .told")?.textContent.includes("911 YA")`)
			v.lacks("an emergency, which no audit precedes,", browsertest.Eval[string](v.Tab, `document.getElementById("organiser").innerText`), "La revisión")
			v.Fits("emergency")
			shot("emergency")

			v.whole()
			v.Do("choose the first answer", chromedp.Click("#thread .how", chromedp.NodeVisible))
			v.Await(`document.activeElement.id === "desk-name" && document.querySelector("#organiser .told").textContent.includes("Pennsylvania")`)
			v.holds("its sources", browsertest.Eval[string](v.Tab, `[...document.querySelectorAll("#organiser .source a")].map(a => a.href).join(" ")`), "https://")
			v.Fits("organiser")
			shot("organiser")
			if !browsertest.Eval[bool](v.Tab, "window.same === true") {
				t.Error("the page was loaded anew on the way")
			}
			v.Do("open its trace", chromedp.Click("#organiser .onward a", chromedp.NodeVisible), chromedp.WaitVisible("#times"))
			v.holds("the trace", browsertest.Eval[string](v.Tab, "document.body.innerText"), "my water is brown is my baby ok??", "safety", "retrieve", "Horsham Water & Sewer Authority", " ms")
			v.Fits("trace")
			shot("trace")
			v.Do("go back", chromedp.Click(".trace .button", chromedp.NodeVisible), chromedp.WaitVisible("#text"))
			if last := v.see(0); last != urgent {
				t.Errorf("back on the phone the last message is %q, want %q", last, urgent)
			}
		})
	}
}
