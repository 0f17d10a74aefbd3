package sessions

import (
	"encoding/json"
	"fmt"

	"plumbline/bot"
)

// Encode returns s as stores keep it.
func Encode(s bot.Session) ([]byte, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode session: %w", err)
	}
	return b, nil
}

// Decode reads what Encode returned.
func Decode(b []byte) (s bot.Session, err error) {
	if err := json.Unmarshal(b, &s); err != nil {
		return bot.Session{}, fmt.Errorf("decode session: %w", err)
	}
	return s, nil
}
