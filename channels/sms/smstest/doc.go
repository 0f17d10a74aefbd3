// Package smstest is a strict fake of Twilio on loopback: its API, the phones
// of residents, and the webhooks between them and the service. It checks what
// Twilio checks and more, records what it was asked and what was wrong with it,
// and goes wrong when told to or, from a seed, by chance. It shares no code with
// the adapter; its signatures are held to vectors that Twilio's own package made
// (testdata/twilio_signature.jsonl).
//
// A fake is started, and the service pointed at it:
//
//	fake := smstest.NewServer(t, smstest.Config{
//		Inbound: "https://bot.example.org/twilio/message", // what is signed
//		Dial:    service.URL,                              // what is called
//	})
//	account := fake.Account() // SID and Token; the number is Numbers[0].Phone
//	// The service's API is at fake.URL(), in place of both of Twilio's hosts.
//
// A resident writes and reads; what the service sent is on record:
//
//	ann := fake.Phone("+19735550101") // or whatsapp:+19735550101, rcs:+19735550101
//	sent, err := ann.Text(ctx, "Hello?")
//	texts, err := ann.Wait(ctx, func(t []smstest.Text) bool { return len(t) > 0 })
//	fake.Creates()    // outgoing messages that were taken
//	fake.Sent()       // what people sent: attempts, and when it was acknowledged
//	fake.Rejections() // requests that were not done
//	fake.Faults()     // what the service did wrong; a test wants none
//	fake.Stats()      // counts of it all, for a ledger
//
// A message is with the phone, unless it is [Server.Undeliverable], once it is
// taken (with [Config.Latency], then). Status callbacks follow the answer to the
// create; [Server.Drain] waits for them.
//
// It goes wrong by [Server.Fail] from now on, by [Server.Next] once, by
// [Server.FailReads] for what is asked for, and by [Chaos].
//
//	fake.Fail(smstest.CutAfter)
//
// [Server.Edit] changes what the operator has set up: numbers, Messaging
// Services, campaigns, the state of the account.
//
// Records are kept until the fake is dropped: about 1 KiB a message, whatever
// befalls it. Nothing is logged.
package smstest
