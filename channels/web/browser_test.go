package web_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"plumbline/internal/need"
)

// The page in a real browser, at the width of a small phone: type, send from
// the keyboard, read the reply, ask for more. PLUMBLINE_SHOTS keeps the pictures.
func TestPhonePageInABrowser(t *testing.T) {
	chromium := need.Program(t, "chromium", "chromium-browser", "google-chrome")
	srv, _ := start(t, parrot{})
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.WindowSize(360, 740))
	alloc, stop := chromedp.NewExecAllocator(t.Context(), opts...)
	defer stop()
	ctx, done := chromedp.NewContext(alloc)
	defer done()
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(360, 740), chromedp.Navigate(srv.URL), chromedp.WaitVisible("#text")); err != nil {
		t.Fatalf("open the page: %v", err)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err := chromedp.Do(ctx,
		chromedp.SendKeys("#text", "my water is brown"+kb.Tab+kb.Enter),
		chromedp.WaitVisible("#last .quick button"),
	)
	if err != nil {
		t.Fatalf("send a message from the keyboard: %v", err)
	}
	if got, err := chromedp.Run(ctx, chromedp.Text("#last .text")); err != nil || got != "You said: my water is brown" {
		t.Errorf("the reply reads %q, %v", got, err)
	}
	if wide, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("document.documentElement.scrollWidth > innerWidth")); err != nil || wide {
		t.Errorf("the page is wider than the phone: %v, %v", wide, err)
	}
	small := `[...document.querySelectorAll("button")].filter(b => b.offsetParent && b.getBoundingClientRect().height < 24).length`
	if n, err := chromedp.Run(ctx, chromedp.Evaluate[int](small)); err != nil || n > 0 {
		t.Errorf("%d buttons are too low to touch, %v", n, err)
	}
	unnamed := `[...document.querySelectorAll("textarea, button")].filter(e => !(e.labels && e.labels.length) && !e.textContent.trim()).length`
	if n, err := chromedp.Run(ctx, chromedp.Evaluate[int](unnamed)); err != nil || n > 0 {
		t.Errorf("%d controls have no name for a screen reader, %v", n, err)
	}
	if dir := os.Getenv("PLUMBLINE_SHOTS"); dir != "" {
		shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatalf("screenshot: %v", err)
		}
		if err := os.WriteFile(filepath.Join(dir, "phone.png"), shot, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
