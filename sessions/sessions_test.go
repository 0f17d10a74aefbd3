package sessions_test

import (
	"testing"

	"plumbline/bot"
	"plumbline/sessions"
	"plumbline/sessions/sessiontest"
)

func TestMemory(t *testing.T) {
	sessiontest.Run(t, func(t *testing.T) bot.SessionStore { return new(sessions.Memory) })
}
