package web_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"plumbline/bot"
	"plumbline/channels/web/browsertest"
	"plumbline/internal/need"
)

var axe = need.NPM{
	Name: "axe-core", Version: "4.14.1",
	Integrity: "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
}

// axeRun finds what breaks the rules of WCAG 2.1, levels A and AA, on a page.
const axeRun = `axe.run(%s, {runOnly: {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}, resultTypes: ["violations", "incomplete"]}).then(r => JSON.stringify({
	ran: r.passes.length,
	unsure: r.incomplete.map(v => v.id + ": " + v.nodes.map(n => n.html.slice(0, 90) + " " + (n.any[0]?.message || "")).join(" | ")),
	found: r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.map(n => n.html.slice(0, 160) + " " + (n.any[0]?.message || "")).join(" | ")),
}))`

// check fails the test for whatever axe finds, or cannot judge, in the part of
// the page that selector names.
func check(t *testing.T, p browsertest.Tab, script, what, selector string) {
	t.Helper()
	got := axeOn(t, p, script, selector)
	if strings.HasPrefix(got, `{"ran":0`) {
		t.Fatalf("%s: axe checked nothing: %s", what, got)
	}
	if !strings.HasSuffix(got, `"unsure":[],"found":[]}`) {
		t.Errorf("%s: axe finds %s", what, got)
	}
}

// axe returns what axe makes of that part of the page.
func axeOn(t *testing.T, p browsertest.Tab, script, selector string) string {
	t.Helper()
	// The script comes in from outside the page, whose policy would refuse it.
	p.Do("load axe", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		r, err := cdp.Call(ctx, t, runtime.Evaluate, runtime.EvaluateParams{Expression: script})
		if err == nil && r.ExceptionDetails != nil {
			err = &chromedp.ExceptionError{ExceptionDetails: r.ExceptionDetails}
		}
		return err
	}))
	got, err := chromedp.Run(p.Context(), chromedp.Evaluate[string](fmt.Sprintf(axeRun, strconv.Quote(selector)), chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("run axe: %v", err)
	}
	return got
}

func TestAxeIsHere(t *testing.T) {
	if len(axe.File(t, "package/axe.min.js")) < 100_000 {
		t.Error("axe.min.js is hardly that")
	}
}

// Every page and state of it, in light and dark, has nothing that axe knows to
// keep people out.
func TestAxe(t *testing.T) {
	script := string(axe.File(t, "package/axe.min.js"))
	browser := browsertest.Chromium(t)
	for _, dark := range []bool{false, true} {
		for name, s := range map[string]browsertest.Size{"phone": browsertest.Small, "desktop": browsertest.Desktop} {
			t.Run(fmt.Sprintf("%s-dark-%t", name, dark), func(t *testing.T) {
				l := caller()
				srv, _ := start(t, l, demo)
				p := browsertest.Open(t, browser, s, srv.URL, browsertest.Media(dark))
				p.Await(`document.activeElement.id === "text"`)
				check(t, p, script, "empty", "html")
				p.Text("my water is brown is my baby ok??", "That is scary")
				p.Await(`document.querySelector("#organiser .told")`)
				check(t, p, script, "answered", "html")
				p.Do("open the ways", chromedp.Click("#ways summary", chromedp.NodeVisible))
				check(t, p, script, "ways", "html")
				p.Do("close the ways", chromedp.KeyEvent(kb.Escape))
				p.Text("mi hijo se tomo cloro", "Llame al 911 YA")
				check(t, p, script, "emergency, in Spanish", "html")
				l.fail(bot.ErrUnavailable)
				p.Do("text while the line is down", chromedp.SendKeys("#text", "hola"+kb.Enter))
				p.Await(`document.getElementById("notice").textContent`)
				check(t, p, script, "not taken", "html")
				l.fail(nil)
				held := make(chan struct{})
				l.mu.Lock()
				l.hold = held
				l.mu.Unlock()
				p.Do("text again", chromedp.SendKeys("#text", kb.Enter))
				p.Await(`!document.getElementById("typing").hidden`)
				check(t, p, script, "waiting", "html")
				close(held)
				p.Await(`document.getElementById("typing").hidden`)
				for _, status := range bot.Statuses() { // each has a colour of its own
					p.Do("show "+string(status), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
						_, err := chromedp.Run(ctx, chromedp.Evaluate[string](fmt.Sprintf(`document.querySelector(".verdict").className = "verdict %s"`, status)))
						return err
					}))
					check(t, p, script, "verdict "+string(status), ".verdict")
				}
				p.Do("open the trace", chromedp.Navigate(srv.URL+browsertest.Eval[string](p, `document.querySelector("#organiser .onward a").getAttribute("href")`)), chromedp.WaitVisible("#times"))
				check(t, p, script, "trace", "html")
				p.Do("open no trace", chromedp.Navigate(srv.URL+"/trace/none"))
				check(t, p, script, "no trace", "html")
			})
		}
	}
}

// axe finds what is wrong: a page that is made wrong fails.
func TestAxeFinds(t *testing.T) {
	script := string(axe.File(t, "package/axe.min.js"))
	srv, _ := start(t, caller(), nil)
	p := browsertest.Open(t, browsertest.Chromium(t), browsertest.Phone, srv.URL)
	browsertest.Eval[string](p, `document.querySelector("#write label").remove(); document.getElementById("text").removeAttribute("placeholder"); document.querySelector(".head p").style.color = "#ddd"`)
	got := axeOn(t, p, script, "html")
	if !strings.Contains(got, "label: ") || !strings.Contains(got, "color-contrast: ") {
		t.Errorf("on a page with a box without a name and faint letters axe finds %s", got)
	}
}
