package llmtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

var (
	roles        = []string{"system", "assistant", "user", "function", "tool", "developer"}
	localRoles   = []string{"system", "assistant", "user", "tool"}
	messageNames = []string{"role", "content", "name", "refusal", "tool_calls", "tool_call_id", "function_call", "audio"}
	partTypes    = []string{"text", "image_url", "input_audio", "file", "refusal"}
)

// checkMessages reads the messages.
func (s *Server) checkMessages(fields map[string]json.RawMessage, r *Request) *fault {
	raw, ok := fields["messages"]
	if !ok {
		return bad("Missing required parameter: 'messages'.", "messages", "missing_required_parameter")
	}
	var messages []map[string]json.RawMessage
	if json.Unmarshal(raw, &messages) != nil {
		return wrongType("messages", "an array of objects", raw)
	}
	if len(messages) == 0 {
		if s.kind == Ollama {
			return bad("[] is too short - 'messages'", "", "")
		}
		return bad("Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.", "messages", "empty_array")
	}
	for i, fields := range messages {
		m, f := s.checkMessage(fields, fmt.Sprintf("messages[%d]", i))
		if f != nil {
			return f
		}
		r.Messages = append(r.Messages, m)
	}
	return nil
}

func (s *Server) checkMessage(fields map[string]json.RawMessage, at string) (m Message, f *fault) {
	raw, ok := fields["role"]
	if !ok {
		return m, bad("Missing required parameter: '"+at+".role'.", at+".role", "missing_required_parameter")
	}
	if json.Unmarshal(raw, &m.Role) != nil {
		return m, wrongType(at+".role", "a string", raw)
	}
	known := localRoles
	if s.kind.hosted() {
		known = roles
	}
	if !slices.Contains(known, m.Role) {
		last := len(known) - 1
		return m, bad(fmt.Sprintf("Invalid value: '%s'. Supported values are: '%s', and '%s'.", m.Role, strings.Join(known[:last], "', '"), known[last]), at+".role", "invalid_value")
	}
	for name := range fields {
		if s.kind.hosted() && !slices.Contains(messageNames, name) {
			return m, bad(fmt.Sprintf("Unknown parameter: '%s.%s'.", at, name), at+"."+name, "unknown_parameter")
		}
	}
	m.Content, f = content(fields["content"], at+".content")
	return m, f
}

// content reads a string or parts.
func content(raw json.RawMessage, at string) (text string, f *fault) {
	if raw == nil || string(raw) == "null" {
		return "", bad("Invalid value for 'content': expected a string, got null.", at, "")
	}
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", wrongType(at, "one of a string or array of objects", raw)
	}
	if len(parts) == 0 {
		return "", bad(fmt.Sprintf("Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.", at), at, "empty_array")
	}
	for i, part := range parts {
		at := fmt.Sprintf("%s[%d]", at, i)
		if !slices.Contains(partTypes, part.Type) {
			return "", bad(fmt.Sprintf("Invalid value: '%s'. Supported values are: '%s'.", part.Type, strings.Join(partTypes, "', '")), at+".type", "invalid_value")
		}
		if part.Type != "text" {
			continue
		}
		if part.Text == nil {
			return "", bad("Missing required parameter: '"+at+".text'.", at+".text", "missing_required_parameter")
		}
		text += *part.Text
	}
	return text, nil
}
