// The phone page as it happens: sends texts without leaving the page, shows
// replies as they come, counts what is typed. Without it the page is forms.
(() => {
  "use strict";
  if (!navigator.cookieEnabled || !window.EventSource || !window.fetch) return;

  const by = (id) => document.getElementById(id);
  const phone = by("phone"), talk = by("talk"), thread = by("thread"), typing = by("typing");
  const box = by("text"), write = by("write"), notice = by("notice"), state = by("state"), count = by("count"), ways = by("ways");
  const mouse = matchMedia("(pointer: fine)").matches;
  const keep = "plumbline-draft";

  // --- what the page says of itself ---

  const say = (where, name) => where.replaceChildren(...(name ? [by("say-" + name).content.cloneNode(true)] : []));
  let patience;
  const waiting = (on) => {
    clearTimeout(patience);
    typing.hidden = !on;
    by("begun").textContent = "";
    say(state, on ? "writing" : "");
    if (on) patience = setTimeout(() => { typing.hidden = true; say(state, "late"); }, 120000);
  };
  const toEnd = () => { talk.scrollTop = talk.scrollHeight; };

  // --- bubbles ---

  // A bubble is shown once, whether the post or the stream brings it first.
  const show = (html) => {
    const t = document.createElement("template");
    t.innerHTML = html;
    const bubble = t.content.querySelector("article");
    if (!bubble || by(bubble.id)) return;
    by("hello")?.remove();
    const held = document.activeElement?.closest(".quick");
    const aside = bubble.classList.contains("aside");
    if (!aside) thread.querySelectorAll(".quick").forEach((q) => q.remove()); // only the last answer offers more
    if (held && !aside) talk.focus({ preventScroll: true });
    bubble.classList.add("new");
    thread.insertBefore(bubble, typing);
    toEnd();
  };

  // --- the organiser's view ---

  let asked = "";
  const view = async (answer, go) => {
    const desk = by("organiser");
    if (!desk || !answer) return;
    asked = answer;
    try {
      const res = await fetch("/organiser?answer=" + encodeURIComponent(answer));
      if (!res.ok || asked !== answer) return;
      desk.innerHTML = await res.text();
      if (go) { desk.scrollIntoView(); by("desk-name").focus({ preventScroll: true }); }
    } catch { /* the next answer tries again */ }
  };
  document.addEventListener("click", (e) => {
    const link = e.target.closest("a.how");
    if (!link || !by("organiser") || e.metaKey || e.ctrlKey || e.shiftKey) return;
    e.preventDefault();
    view(link.dataset.answer, true);
  });

  // --- live updates ---

  let stream, lost = 0, last = phone.dataset.last;
  const reload = () => {
    if (box.value) sessionStorage.setItem(keep, box.value);
    location.reload();
  };
  const open = () => {
    stream?.close();
    stream = new EventSource("/events?after=" + encodeURIComponent(last));
    stream.addEventListener("open", () => {
      clearTimeout(lost);
      lost = 0;
      if (state.dataset.off) { delete state.dataset.off; say(state, typing.hidden ? "" : "writing"); }
    });
    stream.addEventListener("bubble", (e) => {
      last = e.lastEventId;
      const b = JSON.parse(e.data);
      waiting(b.mine);
      show(b.html);
      if (b.mine) return;
      if (b.lang === "en" || b.lang === "es") document.documentElement.lang = b.lang;
      view(b.answer);
    });
    stream.addEventListener("begun", (e) => {
      if (typing.hidden) return;
      by("begun").textContent = JSON.parse(e.data).text;
      toEnd();
    });
    stream.addEventListener("reset", () => { stream.close(); reload(); });
    stream.addEventListener("error", () => {
      lost ||= setTimeout(() => { state.dataset.off = "1"; say(state, "offline"); }, 8000); // a stream may end and come again
      if (stream.readyState === EventSource.CLOSED) setTimeout(open, 5000);
    });
  };
  addEventListener("pagehide", () => stream?.close());
  addEventListener("pageshow", (e) => { if (e.persisted) open(); });

  // --- sending ---

  const sending = new Set();
  const post = async (form, text, nonce) => {
    const body = new URLSearchParams(new FormData(form));
    body.set("text", text);
    body.set("nonce", nonce.value);
    const what = nonce.value + text, used = nonce.value;
    if (sending.has(what)) return true; // a double click
    sending.add(what);
    say(notice, "");
    try {
      const res = await fetch("/messages", { method: "POST", body, headers: { Accept: "application/json" } });
      const got = await res.json();
      if (got.nonce) nonce.value = got.nonce;
      if (!res.ok) {
        notice.innerHTML = got.say;
        write.elements.nonce.value = used;
        return false;
      }
      if (got.html && !by(got.id)) { show(got.html); waiting(true); }
      return true;
    } catch {
      say(notice, "unsent");
      write.elements.nonce.value = used; // it goes with the text again, so that it is one message
      return false;
    } finally {
      sending.delete(what);
    }
  };
  document.addEventListener("submit", async (e) => {
    const form = e.target, nonce = form.elements.nonce;
    if (!nonce || form.dataset.plain !== undefined) return;
    e.preventDefault();
    const own = form === write, text = own ? box.value : e.submitter?.value ?? "";
    if (!text.trim()) { if (own) box.focus(); return; }
    ways.open = false;
    const keyboard = own ? document.activeElement === box || mouse : e.submitter?.matches(":focus-visible");
    if (keyboard) box.focus();
    if (own) { box.value = ""; counted(); }
    const sent = await post(form, text, nonce);
    if (!sent && notice.textContent) { // it stays in the box, before what was written since
      box.value = box.value ? text + "\n" + box.value : text;
      counted();
    }
    if (keyboard) box.focus();
  });
  // With a keyboard, return sends and shift-return is a new line.
  let shift = false;
  box.addEventListener("keydown", (e) => { shift = e.shiftKey; });
  box.addEventListener("beforeinput", (e) => {
    if (e.inputType !== "insertLineBreak" || shift || !mouse) return;
    e.preventDefault();
    if (box.value.trim()) write.requestSubmit();
  });
  document.addEventListener("keydown", (e) => {
    if (e.key === "Escape" && ways.open) { ways.open = false; ways.querySelector("summary").focus(); }
  });
  document.addEventListener("click", (e) => { if (ways.open && !ways.contains(e.target)) ways.open = false; });

  // --- counting: the server's arithmetic, a moment after the last key ---

  let counter, turn = 0;
  const counted = () => {
    clearTimeout(counter);
    const mine = ++turn;
    if (!box.value.trim()) { count.replaceChildren(); count.classList.remove("long"); return; }
    counter = setTimeout(async () => {
      try {
        const res = await fetch("/count", { method: "POST", body: new URLSearchParams({ text: box.value }) });
        if (!res.ok || mine !== turn) return;
        const got = await res.json();
        if (mine !== turn) return;
        count.innerHTML = got.html;
        count.classList.toggle("long", got.long);
      } catch { /* the next key tries again */ }
    }, 120);
  };
  box.addEventListener("input", counted);

  // --- start ---

  const draft = sessionStorage.getItem(keep);
  if (draft) { sessionStorage.removeItem(keep); box.value ||= draft; }
  if (box.value) counted();
  if (!typing.hidden) waiting(true);
  open();
  if (mouse) box.focus({ preventScroll: true });
})();
