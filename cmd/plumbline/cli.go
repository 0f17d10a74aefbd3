package main

import (
	"fmt"
	"time"

	"github.com/alecthomas/kong"
)

// cli is the command line. Help texts end without a period.
type cli struct {
	globals

	Serve serveCmd `cmd:"" help:"Run the service: the phone page on 127.0.0.1, with nothing to set up"`
	Chat  chatCmd  `cmd:"" help:"Talk with it in the terminal, as people text"`
	Ask   askCmd   `cmd:"" help:"Answer one question, or JSON lines with -"`
	Kb    kbCmd    `cmd:"" name:"kb" help:"Look into the knowledge base"`

	Eval     evalCmd     `cmd:"" help:"Measure, on question files"`
	Sms      smsCmd      `cmd:"" name:"sms" help:"Look at texts as they are sent"`
	Sessions sessionsCmd `cmd:"" help:"What is kept of people: list, show, forget, export, how long"`

	Backup  backupCmd  `cmd:"" help:"Write database, keys, packs and settings to one file"`
	Restore restoreCmd `cmd:"" help:"Put back what backup wrote"`
	Keys    keysCmd    `cmd:"" help:"The keys that hide people's addresses and words"`

	Simulate simulateCmd `cmd:"" help:"Drive a service through fakes of its vendors, and count what is lost or doubled"`

	Models modelsCmd `cmd:"" help:"Language models, where stages ask some"`
	Queue  queueCmd  `cmd:"" help:"What waits to be answered and sent, what was given up, who is blocked"`
	Notice noticeCmd `cmd:"" help:"Notices in force, such as to boil water, that staff post"`
	Doctor doctorCmd `cmd:"" help:"Look for what is wrong with this installation"`
	Health healthCmd `cmd:"" help:"Ask a running service whether it is ready"`

	Completion completionCmd `cmd:"" help:"Write a completion script for a shell"`
}

type globals struct {
	JSON     bool   `name:"json" help:"Write JSON, one documented object a line, and nothing else"`
	Settings string `help:"Settings file (YAML)" placeholder:"FILE" env:"PLUMBLINE_SETTINGS"`
	Packs    string `help:"Folder of further domain packs, or one pack" placeholder:"DIR" env:"PLUMBLINE_PACKS"`
	Weights  string `help:"Embedding model to use instead of the built-in one" placeholder:"FILE" env:"PLUMBLINE_WEIGHTS"`
	AsOf     day    `help:"Judge what is in force at this date (YYYY-MM-DD; today if left out)" placeholder:"DATE"`

	Version kong.VersionFlag `help:"Print the version"`
}

type kbCmd struct {
	Search  kbSearchCmd  `cmd:"" help:"Show what retrieval finds for a question, and why"`
	List    kbListCmd    `cmd:"" help:"List the packs"`
	Export  kbExportCmd  `cmd:"" help:"Write every paragraph, phone record, next step and fixed text"`
	Lint    kbLintCmd    `cmd:"" help:"Check the packs' wordings, dates and references"`
	Check   kbCheckCmd   `cmd:"" help:"Check that phone numbers were confirmed lately"`
	Embed   kbEmbedCmd   `cmd:"" help:"Turn texts into vectors: JSON lines with -"`
	Vectors kbVectorsCmd `cmd:"" help:"Make the vectors that a pack ships, or check that they are fresh"`
}

// A day is a --as-of date. The zero day is today.
type day struct{ time.Time }

// UnmarshalText reads YYYY-MM-DD.
func (d *day) UnmarshalText(b []byte) error {
	t, err := time.Parse(time.DateOnly, string(b))
	if err != nil {
		return fmt.Errorf("%q is not a date such as 2026-11-30", b)
	}
	d.Time = t
	return nil
}
