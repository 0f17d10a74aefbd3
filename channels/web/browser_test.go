package web_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"plumbline/bot"
	"plumbline/channels/web/browsertest"
)

// caller is a line that holds a short conversation.
func caller() *line {
	return &line{reply: func(text string) bot.Delivery {
		d := bot.Delivery{Language: bot.English, Status: bot.Answered, Answer: "a", Offers: []bot.Word{bot.WordMore, bot.WordWhy, bot.WordSources}}
		switch text {
		case "my water is brown is my baby ok??":
			d.Text, d.Status = "That is scary to see. Brown water is mostly iron and manganese stirred up in the pipes. I can't tell how your baby is: if baby seems sick, call the doctor. Still brown? Call 201-555-0123. MORE", bot.AnsweredWithLimits
		case "MORE":
			d.Text, d.Offers = "If it isn't clear after 5 minutes, wait 2 hours and try again, then call.", []bot.Word{bot.WordSources}
		case "ok so if i boil it does that fix it":
			d.Text = "No. Boiling kills most germs but does not take out metals."
		case "talk to me like city hall":
			d.Text, d.Offers, d.Answer = "From now on you hear the city hall translator.", nil, ""
		case "ESPAÑOL":
			d.Text, d.Language, d.Offers, d.Answer = "Desde ahora le escribo en español.", bot.Spanish, nil, ""
		case "cuanto tiempo hiervo el agua":
			d.Text, d.Language = "Deje que el agua hierva fuerte 1 minuto y luego deje enfriar.", bot.Spanish
		case "mi hijo se tomo cloro":
			d.Text, d.Language, d.Status, d.Answer, d.Offers = "Llame al 911 YA si su hijo no despierta. Si no, llame YA a Poison Help.", bot.Spanish, bot.Emergency, "", []bot.Word{bot.WordMore}
		default:
			d.Text, d.Answer, d.Offers = "You said: "+text, "", nil
		}
		return d
	}}
}

// A person's whole way through the page, on a phone and on a desk.
func TestConversationInABrowser(t *testing.T) {
	browser := browsertest.Chromium(t)
	for name, s := range map[string]browsertest.Size{"phone": browsertest.Phone, "desktop": browsertest.Desktop} {
		t.Run(name, func(t *testing.T) {
			l := caller()
			srv, _ := start(t, l, nil)
			p := browsertest.Open(t, browser, s, srv.URL, browsertest.Media(false))
			p.Await(`document.activeElement.id === "text"`)
			p.Shot(name + "-empty")
			p.Fits("empty")
			p.Do("mark the page", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
				_, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("window.same = true"))
				return err
			}))

			p.Do("type", chromedp.SendKeys("#text", "my water is brown is my baby ok??"))
			p.Await(`document.getElementById("count").textContent.includes("1 segment · 33 units · GSM-7 · 0.83¢")`)
			p.Text("", "That is scary to see.")
			p.Await(`document.getElementById("typing").hidden && !document.getElementById("state").textContent`)
			p.Await(`document.querySelector("#organiser .told")?.textContent.includes("Told by cityhall")`)
			if got := browsertest.Eval[string](p, `document.activeElement.id + document.getElementById("text").value`); got != "text" {
				t.Errorf("after sending, the focus and the box are %q, want the box, empty", got)
			}
			if below := browsertest.Eval[bool](p, `(() => { const t = document.getElementById("talk").getBoundingClientRect(), b = [...document.querySelectorAll("#thread .quick")].at(-1).getBoundingClientRect(); return b.bottom > t.bottom + 1 || b.top < t.top })()`); below {
				t.Error("the last message is not in view")
			}
			p.Shot(name + "-answered")
			p.Fits("answered")

			p.Press("MORE", "wait 2 hours")
			if n := browsertest.Eval[int](p, `document.querySelectorAll("#thread .quick").length`); n != 1 {
				t.Errorf("%d messages offer more, want the last alone", n)
			}
			p.Text("ok so if i boil it does that fix it", "No. Boiling")
			p.Do("open the other ways", chromedp.Click("#ways summary", chromedp.NodeVisible))
			p.Shot(name + "-ways")
			p.Fits("ways")
			p.Press("talk to me like city hall", "city hall translator")
			p.Do("open the other ways", chromedp.Click("#ways summary", chromedp.NodeVisible))
			p.Press("ESPAÑOL", "en español")
			p.Await(`document.documentElement.lang === "es" && document.body.innerText.includes("Línea automática") && !document.body.innerText.includes("Automated line")`)
			p.Text("cuanto tiempo hiervo el agua", "1 minuto")
			p.Text("mi hijo se tomo cloro", "Llame al 911 YA")
			p.Await(`document.querySelector("#thread .urgent .text a[href='tel:911']")`)
			p.Shot(name + "-emergency")
			p.Fits("emergency")
			if !browsertest.Eval[bool](p, "window.same === true") {
				t.Error("the page was loaded anew on the way")
			}
			if got := l.messages(); len(got) != 7 {
				t.Errorf("%d messages were received, want 7", len(got))
			}

			p.Do("choose an answer", chromedp.Click("#thread .how", chromedp.NodeVisible))
			p.Await(`document.activeElement.id === "desk-name"`)
			p.Shot(name + "-organiser")
			p.Do("open the trace", chromedp.Click("#organiser .onward a", chromedp.NodeVisible), chromedp.WaitVisible("#times"))
			p.Shot(name + "-trace")
			p.Fits("trace")
			p.Do("go back", chromedp.Click(".trace .button", chromedp.NodeVisible), chromedp.WaitVisible("#text"))
			if n := browsertest.Eval[int](p, `document.querySelectorAll("#thread .bubble").length`); n != 14 {
				t.Errorf("back on the phone there are %d messages, want 14", n)
			}
		})
	}
}

// All of it from the keyboard, and nothing lost while the line is down.
func TestKeyboardAndTroubleInABrowser(t *testing.T) {
	l := caller()
	srv, _ := start(t, l, nil)
	p := browsertest.Open(t, browsertest.Chromium(t), browsertest.Desktop, srv.URL)
	p.Await(`document.activeElement.id === "text"`)
	p.Do("write two lines", chromedp.KeyEvent("one"), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierShift)), chromedp.KeyEvent("two"), chromedp.KeyEvent(kb.Enter))
	p.Await(browsertest.LastText + `=== "You said: one\ntwo"`)
	p.Do("send from the button", chromedp.KeyEvent("three"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	p.Await(browsertest.LastText + `=== "You said: three"`)
	p.Await(`document.activeElement.id === "text"`)
	p.Do("open and close the ways", chromedp.Focus("#ways summary"), chromedp.KeyEvent(kb.Enter))
	p.Await(`document.getElementById("ways").open`)
	p.Do("close them", chromedp.KeyEvent(kb.Escape))
	p.Await(`!document.getElementById("ways").open && document.activeElement.tagName === "SUMMARY"`)

	l.fail(bot.ErrUnavailable)
	p.Do("text while the line is down", chromedp.SendKeys("#text", "is it safe"+kb.Enter))
	p.Await(`document.getElementById("notice").textContent.includes("was not taken")`)
	if got := browsertest.Eval[string](p, `document.getElementById("text").value + document.querySelectorAll(".bubble").length`); got != "is it safe4" {
		t.Errorf("a text that was not taken leaves %q, want it in the box and four messages", got)
	}
	p.Shot("desktop-not-taken")
	l.fail(nil)
	p.Do("send it again", chromedp.SendKeys("#text", kb.Enter))
	p.Await(browsertest.LastText + `=== "You said: is it safe" && !document.getElementById("notice").textContent && !document.getElementById("text").value`)

	p.Do("paste what is too long", chromedp.SetValue("#text", strings.Repeat("x", 1601)), chromedp.SendKeys("#text", "y"))
	p.Await(`document.getElementById("count").classList.contains("long")`)
	p.Do("send it", chromedp.SendKeys("#text", kb.Enter))
	p.Await(`document.getElementById("notice").textContent.includes("Nothing was sent")`)
	if n := browsertest.Eval[int](p, `document.getElementById("text").value.length`); n != 1602 {
		t.Errorf("of a text of 1,602 characters %d are left in the box", n)
	}
	if got := l.messages(); len(got) != 3 {
		t.Errorf("%d messages were received, want 3", len(got))
	}
}

// Two tabs show the same browsertest.Phone, and a phone that lost its connection catches up.
func TestTabsAndReconnectInABrowser(t *testing.T) {
	l := &line{hold: make(chan struct{})}
	srv, _ := start(t, l, nil)
	browser := browsertest.Chromium(t)
	one := browsertest.Open(t, browser, browsertest.Phone, srv.URL)
	two := browsertest.Open(t, browser, browsertest.Phone, srv.URL)
	two.Await(`document.querySelectorAll("#hello").length`)
	one.Do("text", chromedp.SendKeys("#text", "hello"+kb.Enter))
	for _, p := range []browsertest.Tab{one, two} {
		p.Await(browsertest.LastText + `=== "hello" && !document.getElementById("typing").hidden && document.getElementById("state").textContent.includes("on its way")`)
	}
	one.Shot("phone-waiting")
	close(l.hold)
	l.work.Wait()
	for _, p := range []browsertest.Tab{one, two} {
		p.Await(browsertest.LastText + `=== "You said: hello" && document.getElementById("typing").hidden`)
	}
	srv.CloseClientConnections()
	two.Text("again", "You said: again")
	one.Await(browsertest.LastText + `=== "You said: again"`)
	if n := browsertest.Eval[int](one, `document.querySelectorAll(".bubble").length`); n != 4 {
		t.Errorf("after a lost connection there are %d messages, want 4", n)
	}
	one.Do("begin to write", chromedp.SendKeys("#text", "half a text"))
	two.Do("start over", chromedp.Click("#ways summary", chromedp.NodeVisible), chromedp.Click(".sheet .quiet", chromedp.NodeVisible))
	for _, p := range []browsertest.Tab{two, one} {
		p.Await(`document.getElementById("hello")`)
	}
	one.Await(`document.getElementById("text").value === "half a text"`)
}

// Pictures and reach of the page in other clothes: browsertest.Small, dark, large letters.
func TestLooksInABrowser(t *testing.T) {
	browser := browsertest.Chromium(t)
	for name, tt := range map[string]struct {
		size  browsertest.Size
		dark  bool
		scale int
	}{
		"small":       {browsertest.Small, false, 100},
		"small-200":   {browsertest.Small, false, 200},
		"phone-dark":  {browsertest.Phone, true, 100},
		"dark":        {browsertest.Desktop, true, 100},
		"desktop-200": {browsertest.Desktop, false, 200},
		"tablet":      {browsertest.Size{Width: 768, Height: 1024}, false, 100},
	} {
		t.Run(name, func(t *testing.T) {
			srv, _ := start(t, caller(), nil)
			p := browsertest.Open(t, browser, tt.size, srv.URL, browsertest.Media(tt.dark))
			p.Do("enlarge the letters", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
				_, err := chromedp.Run(ctx, chromedp.Evaluate[string](fmt.Sprintf(`document.documentElement.style.fontSize = "%d%%"`, tt.scale)))
				return err
			}))
			p.Text("my water is brown is my baby ok??", "That is scary")
			p.Await(`document.querySelector("#organiser .told")`)
			p.Shot("look-" + name)
			p.Fits(name)
			if h := browsertest.Eval[float64](p, `document.getElementById("talk").clientHeight`); h < 120 {
				t.Errorf("only %.0f pixels are left for the messages", h)
			}
		})
	}
}
