package web_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"plumbline/bot"
	"plumbline/channels/web"
	"plumbline/channels/web/browsertest"
)

// noScript turns the page's own scripts off; the test can still look at it.
var noScript = chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
	_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return err
})

// The whole way through the page without script: the reply is there when the
// page is, and where it is late a link asks for it.
func TestNoScriptInABrowser(t *testing.T) {
	l := caller()
	srv, _ := start(t, l, func(c *web.Config) { c.Wait = 50 * time.Millisecond })
	p := browsertest.Open(t, browsertest.Chromium(t), browsertest.Phone, srv.URL, noScript)
	sent := func(what, reply string, steps ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		p.Do(what, steps...)
		p.Await(fmt.Sprintf("(%s || '').includes(%q)", browsertest.LastText, reply))
	}
	press := func(value string) chromedp.Action[chromedp.Void] {
		return chromedp.Click(fmt.Sprintf("button[value=%q]", value), chromedp.NodeVisible)
	}
	sent("ask", "That is scary", chromedp.SendKeys("#text", "my water is brown is my baby ok??"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	p.Shot("noscript")
	if below := browsertest.Eval[bool](p, `(() => { const t = document.getElementById("talk").getBoundingClientRect(), b = [...document.querySelectorAll("#thread .quick")].at(-1).getBoundingClientRect(); return b.bottom > t.bottom + 1 })()`); below {
		t.Error("without script the last message is not in view")
	}
	sent("press MORE", "wait 2 hours", press("MORE"))
	sent("follow up", "No. Boiling", chromedp.SendKeys("#text", "ok so if i boil it does that fix it"), chromedp.Click(".send"))
	sent("change the voice", "city hall translator", chromedp.Click("#ways summary"), press("talk to me like city hall"))
	sent("change the language", "en español", chromedp.Click("#ways summary"), press("ESPAÑOL"))
	if got := browsertest.Eval[string](p, "document.documentElement.lang"); got != "es" {
		t.Errorf("after ESPAÑOL the page is in %q", got)
	}
	sent("have an emergency", "Llame al 911 YA", chromedp.SendKeys("#text", "mi hijo se tomo cloro"), chromedp.Click(".send"))

	hold := make(chan struct{})
	l.mu.Lock()
	l.hold = hold
	l.mu.Unlock()
	sent("ask", "cuanto", chromedp.SendKeys("#text", "cuanto tiempo hiervo el agua"), chromedp.Click(".send"))
	p.Do("see that it waits", chromedp.WaitVisible(`noscript a[href="/?wait=1"]`))
	p.Shot("noscript-waiting")
	close(hold)
	l.work.Wait()
	sent("ask for the reply", "1 minuto", chromedp.Click(`noscript a[href="/?wait=1"]`))

	l.fail(bot.ErrUnavailable)
	p.Do("text while the line is down", chromedp.SendKeys("#text", "hola"), chromedp.Click(".send"))
	p.Await(`document.getElementById("notice").textContent.includes("no se recibió") && document.getElementById("text").value === "hola"`)
	l.fail(nil)
	sent("send it again", "You said: hola", chromedp.Click(".send"))

	p.Do("choose an answer", chromedp.Click("#thread .how", chromedp.NodeVisible), chromedp.WaitVisible("#organiser .verdict"))
	p.Do("open the trace", chromedp.Click("#organiser .onward a", chromedp.NodeVisible), chromedp.WaitVisible("#times"))
	p.Do("go back", chromedp.Click(".trace .button", chromedp.NodeVisible), chromedp.WaitVisible("#text"))
	p.Do("start over", chromedp.Click("#ways summary"), chromedp.Click(".sheet .quiet", chromedp.NodeVisible), chromedp.WaitVisible("#hello"))
	if got := l.messages(); len(got) != 8 {
		t.Errorf("%d messages were received, want 8", len(got))
	}
}
