package web_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"plumbline/bot"
	"plumbline/internal/need"
)

// chromium starts a browser and returns a context for its tabs.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path := need.Program(t, "chromium", "chromium-browser", "google-chrome")
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("blink-settings", "primaryPointerType=4,availablePointerTypes=4"))
	alloc, stop := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(stop)
	ctx, done := chromedp.NewContext(alloc)
	t.Cleanup(done)
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start a browser: %v", err)
	}
	return ctx
}

// A tab is one page in the browser.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// A size is a width and a height of a page.
type size struct{ width, height int64 }

var (
	small   = size{320, 568}
	phone   = size{360, 740}
	desktop = size{1280, 832}
)

func open(t *testing.T, browser context.Context, s size, u string, before ...chromedp.Action[chromedp.Void]) tab {
	t.Helper()
	ctx, done := chromedp.NewContext(browser)
	t.Cleanup(done)
	p := tab{t, ctx}
	p.do("set the page up", append([]chromedp.Action[chromedp.Void]{chromedp.EmulateViewport(s.width, s.height)}, before...)...)
	p.do("open the page", chromedp.Navigate(u))
	return p
}

func (p tab) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}

// await waits until an expression holds on the page.
func (p tab) await(expression string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 15*time.Second)
	defer cancel()
	var err error
	for ctx.Err() == nil { // a page that is loaded anew ends a poll
		if _, err = chromedp.Run(ctx, chromedp.Poll[bool]("!!("+expression+")")); err == nil {
			return
		}
	}
	text, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`document.body.innerText`))
	p.t.Fatalf("never true on the page: %s: %v\n%s", expression, err, text)
}

func eval[T any](p tab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("evaluate %s: %v", expression, err)
	}
	return v
}

const lastText = `[...document.querySelectorAll("#thread .bubble .text")].at(-1)?.textContent`

// text types a text and sends it with the return key.
func (p tab) text(text, reply string) {
	p.t.Helper()
	p.do("type "+text, chromedp.SendKeys("#text", text+kb.Enter))
	p.await(fmt.Sprintf("(%s || '').includes(%q)", lastText, reply))
}

// press presses the button that texts value.
func (p tab) press(value, reply string) {
	p.t.Helper()
	p.do("press "+value, chromedp.Click(fmt.Sprintf(`button[value=%q]`, value), chromedp.NodeVisible))
	p.await(fmt.Sprintf("(%s || '').includes(%q)", lastText, reply))
}

// shot keeps a picture of the page if PLUMBLINE_SHOTS names a folder for it.
func (p tab) shot(name string) {
	p.t.Helper()
	dir := os.Getenv("PLUMBLINE_SHOTS")
	if dir == "" {
		return
	}
	b, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatalf("screenshot: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), b, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// fits says what of the page a person could not reach or touch.
func (p tab) fits(what string) {
	p.t.Helper()
	if wide := eval[string](p, `(() => {
		const room = document.documentElement.clientWidth;
		if (document.documentElement.scrollWidth <= room) return "";
		return [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > room + 1).map(e => e.tagName + "." + e.className).slice(0, 5).join(" ") || "?";
	})()`); wide != "" {
		p.t.Errorf("%s: the page is wider than the screen: %s", what, wide)
	}
	if low := eval[[]string](p, `[...document.querySelectorAll("button, summary, .button")].filter(b => b.offsetParent && b.getBoundingClientRect().height < 44).map(b => b.textContent.trim() + " " + b.getBoundingClientRect().height)`); len(low) > 0 {
		p.t.Errorf("%s: these buttons are less than 44 pixels high: %q", what, low)
	}
}

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
	browser := chromium(t)
	for name, s := range map[string]size{"phone": phone, "desktop": desktop} {
		t.Run(name, func(t *testing.T) {
			l := caller()
			srv, _ := start(t, l, nil)
			p := open(t, browser, s, srv.URL, media(false))
			p.await(`document.activeElement.id === "text"`)
			p.shot(name + "-empty")
			p.fits("empty")
			p.do("mark the page", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
				_, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("window.same = true"))
				return err
			}))

			p.do("type", chromedp.SendKeys("#text", "my water is brown is my baby ok??"))
			p.await(`document.getElementById("count").textContent.includes("1 segment · 33 units · GSM-7 · 0.83¢")`)
			p.text("", "That is scary to see.")
			p.await(`document.getElementById("typing").hidden && !document.getElementById("state").textContent`)
			p.await(`document.querySelector("#organiser .told")?.textContent.includes("Told by cityhall")`)
			if got := eval[string](p, `document.activeElement.id + document.getElementById("text").value`); got != "text" {
				t.Errorf("after sending, the focus and the box are %q, want the box, empty", got)
			}
			if below := eval[bool](p, `(() => { const t = document.getElementById("talk").getBoundingClientRect(), b = [...document.querySelectorAll("#thread .quick")].at(-1).getBoundingClientRect(); return b.bottom > t.bottom + 1 || b.top < t.top })()`); below {
				t.Error("the last message is not in view")
			}
			p.shot(name + "-answered")
			p.fits("answered")

			p.press("MORE", "wait 2 hours")
			if n := eval[int](p, `document.querySelectorAll("#thread .quick").length`); n != 1 {
				t.Errorf("%d messages offer more, want the last alone", n)
			}
			p.text("ok so if i boil it does that fix it", "No. Boiling")
			p.do("open the other ways", chromedp.Click("#ways summary", chromedp.NodeVisible))
			p.shot(name + "-ways")
			p.fits("ways")
			p.press("talk to me like city hall", "city hall translator")
			p.do("open the other ways", chromedp.Click("#ways summary", chromedp.NodeVisible))
			p.press("ESPAÑOL", "en español")
			p.await(`document.documentElement.lang === "es" && document.body.innerText.includes("Línea automática") && !document.body.innerText.includes("Automated line")`)
			p.text("cuanto tiempo hiervo el agua", "1 minuto")
			p.text("mi hijo se tomo cloro", "Llame al 911 YA")
			p.await(`document.querySelector("#thread .urgent .text a[href='tel:911']")`)
			p.shot(name + "-emergency")
			p.fits("emergency")
			if !eval[bool](p, "window.same === true") {
				t.Error("the page was loaded anew on the way")
			}
			if got := l.messages(); len(got) != 7 {
				t.Errorf("%d messages were received, want 7", len(got))
			}

			p.do("choose an answer", chromedp.Click("#thread .how", chromedp.NodeVisible))
			p.await(`document.activeElement.id === "desk-name"`)
			p.shot(name + "-organiser")
			p.do("open the trace", chromedp.Click("#organiser .onward a", chromedp.NodeVisible), chromedp.WaitVisible("#times"))
			p.shot(name + "-trace")
			p.fits("trace")
			p.do("go back", chromedp.Click(".trace .button", chromedp.NodeVisible), chromedp.WaitVisible("#text"))
			if n := eval[int](p, `document.querySelectorAll("#thread .bubble").length`); n != 14 {
				t.Errorf("back on the phone there are %d messages, want 14", n)
			}
		})
	}
}

// All of it from the keyboard, and nothing lost while the line is down.
func TestKeyboardAndTroubleInABrowser(t *testing.T) {
	l := caller()
	srv, _ := start(t, l, nil)
	p := open(t, chromium(t), desktop, srv.URL)
	p.await(`document.activeElement.id === "text"`)
	p.do("write two lines", chromedp.KeyEvent("one"), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierShift)), chromedp.KeyEvent("two"), chromedp.KeyEvent(kb.Enter))
	p.await(lastText + `=== "You said: one\ntwo"`)
	p.do("send from the button", chromedp.KeyEvent("three"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	p.await(lastText + `=== "You said: three"`)
	p.await(`document.activeElement.id === "text"`)
	p.do("open and close the ways", chromedp.Focus("#ways summary"), chromedp.KeyEvent(kb.Enter))
	p.await(`document.getElementById("ways").open`)
	p.do("close them", chromedp.KeyEvent(kb.Escape))
	p.await(`!document.getElementById("ways").open && document.activeElement.tagName === "SUMMARY"`)

	l.fail(bot.ErrUnavailable)
	p.do("text while the line is down", chromedp.SendKeys("#text", "is it safe"+kb.Enter))
	p.await(`document.getElementById("notice").textContent.includes("was not taken")`)
	if got := eval[string](p, `document.getElementById("text").value + document.querySelectorAll(".bubble").length`); got != "is it safe4" {
		t.Errorf("a text that was not taken leaves %q, want it in the box and four messages", got)
	}
	p.shot("desktop-not-taken")
	l.fail(nil)
	p.do("send it again", chromedp.SendKeys("#text", kb.Enter))
	p.await(lastText + `=== "You said: is it safe" && !document.getElementById("notice").textContent && !document.getElementById("text").value`)

	p.do("paste what is too long", chromedp.SetValue("#text", strings.Repeat("x", 1601)), chromedp.SendKeys("#text", "y"))
	p.await(`document.getElementById("count").classList.contains("long")`)
	p.do("send it", chromedp.SendKeys("#text", kb.Enter))
	p.await(`document.getElementById("notice").textContent.includes("Nothing was sent")`)
	if n := eval[int](p, `document.getElementById("text").value.length`); n != 1602 {
		t.Errorf("of a text of 1,602 characters %d are left in the box", n)
	}
	if got := l.messages(); len(got) != 3 {
		t.Errorf("%d messages were received, want 3", len(got))
	}
}

// Two tabs show the same phone, and a phone that lost its connection catches up.
func TestTabsAndReconnectInABrowser(t *testing.T) {
	l := &line{hold: make(chan struct{})}
	srv, _ := start(t, l, nil)
	browser := chromium(t)
	one := open(t, browser, phone, srv.URL)
	two := open(t, browser, phone, srv.URL)
	two.await(`document.querySelectorAll("#hello").length`)
	one.do("text", chromedp.SendKeys("#text", "hello"+kb.Enter))
	for _, p := range []tab{one, two} {
		p.await(lastText + `=== "hello" && !document.getElementById("typing").hidden && document.getElementById("state").textContent.includes("on its way")`)
	}
	one.shot("phone-waiting")
	close(l.hold)
	l.work.Wait()
	for _, p := range []tab{one, two} {
		p.await(lastText + `=== "You said: hello" && document.getElementById("typing").hidden`)
	}
	srv.CloseClientConnections()
	two.text("again", "You said: again")
	one.await(lastText + `=== "You said: again"`)
	if n := eval[int](one, `document.querySelectorAll(".bubble").length`); n != 4 {
		t.Errorf("after a lost connection there are %d messages, want 4", n)
	}
	one.do("begin to write", chromedp.SendKeys("#text", "half a text"))
	two.do("start over", chromedp.Click("#ways summary", chromedp.NodeVisible), chromedp.Click(".sheet .quiet", chromedp.NodeVisible))
	for _, p := range []tab{two, one} {
		p.await(`document.getElementById("hello")`)
	}
	one.await(`document.getElementById("text").value === "half a text"`)
}

// Pictures and reach of the page in other clothes: small, dark, large letters.
func TestLooksInABrowser(t *testing.T) {
	browser := chromium(t)
	for name, tt := range map[string]struct {
		size  size
		dark  bool
		scale int
	}{
		"small":       {small, false, 100},
		"small-200":   {small, false, 200},
		"phone-dark":  {phone, true, 100},
		"dark":        {desktop, true, 100},
		"desktop-200": {desktop, false, 200},
		"tablet":      {size{768, 1024}, false, 100},
	} {
		t.Run(name, func(t *testing.T) {
			srv, _ := start(t, caller(), nil)
			p := open(t, browser, tt.size, srv.URL, media(tt.dark))
			p.do("enlarge the letters", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
				_, err := chromedp.Run(ctx, chromedp.Evaluate[string](fmt.Sprintf(`document.documentElement.style.fontSize = "%d%%"`, tt.scale)))
				return err
			}))
			p.text("my water is brown is my baby ok??", "That is scary")
			p.await(`document.querySelector("#organiser .told")`)
			p.shot("look-" + name)
			p.fits(name)
			if h := eval[float64](p, `document.getElementById("talk").clientHeight`); h < 120 {
				t.Errorf("only %.0f pixels are left for the messages", h)
			}
		})
	}
}

// media sets what the person asks of pages: dark colours, and no motion.
func media(dark bool) chromedp.Action[chromedp.Void] {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		return err
	})
}
