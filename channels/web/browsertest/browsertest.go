// Package browsertest opens the phone page in a real browser and looks at it
// as a person does.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"plumbline/internal/need"
)

// Chromium starts a browser and returns a context for its tabs. It ends with
// the test, at the latest after three minutes.
func Chromium(t *testing.T) context.Context {
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

// A Size is a width and a height of a page.
type Size struct{ Width, Height int64 }

// Sizes that people have.
var (
	Small   = Size{320, 568}
	Phone   = Size{360, 740}
	Desktop = Size{1280, 832}
)

// A Tab is one page in the browser. Its methods end the test if what they
// wait for does not come.
type Tab struct {
	t   *testing.T
	ctx context.Context
}

// Open opens u in a tab of its own, after what is to be done before.
func Open(t *testing.T, browser context.Context, s Size, u string, before ...chromedp.Action[chromedp.Void]) Tab {
	t.Helper()
	ctx, done := chromedp.NewContext(browser)
	t.Cleanup(done)
	p := Tab{t, ctx}
	p.Do("set the page up", append([]chromedp.Action[chromedp.Void]{chromedp.EmulateViewport(s.Width, s.Height)}, before...)...)
	p.Do("open the page", chromedp.Navigate(u))
	return p
}

// Context is the tab's.
func (p Tab) Context() context.Context { return p.ctx }

// Do takes steps; what says what they are for.
func (p Tab) Do(what string, steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}

// Await waits until an expression holds on the page.
func (p Tab) Await(expression string) {
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

// Eval returns what an expression is on the page.
func Eval[T any](p Tab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("evaluate %s: %v", expression, err)
	}
	return v
}

// LastText is the text of the newest message, as an expression.
const LastText = `[...document.querySelectorAll("#thread .bubble .text")].at(-1)?.textContent`

// Text types a text, sends it with the return key and waits for a reply that
// holds reply.
func (p Tab) Text(text, reply string) {
	p.t.Helper()
	p.Do("type "+text, chromedp.SendKeys("#text", text+kb.Enter))
	p.Await(fmt.Sprintf("(%s || '').includes(%q)", LastText, reply))
}

// Press presses the button that texts value and waits for the reply.
func (p Tab) Press(value, reply string) {
	p.t.Helper()
	p.Do("press "+value, chromedp.Click(fmt.Sprintf(`button[value=%q]`, value), chromedp.NodeVisible))
	p.Await(fmt.Sprintf("(%s || '').includes(%q)", LastText, reply))
}

// Shot keeps a picture of the page if PLUMBLINE_SHOTS names a folder for it.
func (p Tab) Shot(name string) {
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

// Fits says what of the page a person could not reach or touch.
func (p Tab) Fits(what string) {
	p.t.Helper()
	if wide := Eval[string](p, `(() => {
		const room = document.documentElement.clientWidth;
		if (document.documentElement.scrollWidth <= room) return "";
		return [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > room + 1).map(e => e.tagName + "." + e.className).slice(0, 5).join(" ") || "?";
	})()`); wide != "" {
		p.t.Errorf("%s: the page is wider than the screen: %s", what, wide)
	}
	if low := Eval[[]string](p, `[...document.querySelectorAll("button, summary, .button")].filter(b => b.offsetParent && b.getBoundingClientRect().height < 44).map(b => b.textContent.trim() + " " + b.getBoundingClientRect().height)`); len(low) > 0 {
		p.t.Errorf("%s: these buttons are less than 44 pixels high: %q", what, low)
	}
}

// Media sets what the person asks of pages: dark colours or light, and no
// motion.
func Media(dark bool) chromedp.Action[chromedp.Void] {
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
