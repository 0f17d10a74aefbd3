package llmtest

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// wrongType is a value that is not of the type that it must have.
func wrongType(param, want string, raw json.RawMessage) *fault {
	return bad(fmt.Sprintf("Invalid type for '%s': expected %s, but got %s instead.", param, want, typeOf(raw)), param, "invalid_type")
}

func typeOf(raw json.RawMessage) string {
	switch text := string(raw); {
	case text == "null":
		return "null"
	case text == "true" || text == "false":
		return "a boolean"
	case text[0] == '"':
		return "a string"
	case text[0] == '[':
		return "an array"
	case text[0] == '{':
		return "an object"
	case strings.ContainsAny(text, ".eE"):
		return "a decimal"
	}
	return "an integer"
}

// checkNumbers reads temperature and the limits of the reply.
func (s *Server) checkNumbers(fields map[string]json.RawMessage, r *Request) *fault {
	if raw, ok := fields["temperature"]; ok {
		var t float64
		if json.Unmarshal(raw, &t) != nil {
			return wrongType("temperature", "a decimal", raw)
		}
		if t < 0 {
			return bad(fmt.Sprintf("Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got %s instead.", raw), "temperature", "decimal_below_min_value")
		}
		if t > 2 && s.kind.hosted() {
			return bad(fmt.Sprintf("Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got %s instead.", raw), "temperature", "decimal_above_max_value")
		}
		r.Temperature = &t
	}
	for name, to := range map[string]*int{"max_tokens": &r.MaxTokens, "max_completion_tokens": &r.MaxCompletionTokens} {
		raw, ok := fields[name]
		if !ok {
			continue
		}
		var n float64
		if json.Unmarshal(raw, &n) != nil || n != math.Trunc(n) {
			return wrongType(name, "an integer", raw)
		}
		if n < 1 && (s.kind.hosted() || s.kind == VLLM) {
			return bad(fmt.Sprintf("Invalid '%s': integer below minimum value. Expected a value >= 1, but got %s instead.", name, raw), name, "integer_below_min_value")
		}
		*to = int(n)
	}
	if s.kind.hosted() && r.MaxTokens != 0 && r.MaxCompletionTokens != 0 {
		return bad("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", "max_tokens", "invalid_parameter_combination")
	}
	return nil
}

// reasons tells whether OpenAI's model of that name reasons.
func reasons(model string) bool {
	if strings.HasPrefix(model, "gpt-5-chat") {
		return false
	}
	return slices.ContainsFunc([]string{"o1", "o3", "o4", "gpt-5"}, func(p string) bool { return strings.HasPrefix(model, p) })
}

// checkReasoning refuses what OpenAI's models that reason do not take, and
// reasoning_effort from the others.
func (s *Server) checkReasoning(fields map[string]json.RawMessage, r *Request) *fault {
	effort, ok := fields["reasoning_effort"]
	if ok && json.Unmarshal(effort, &r.ReasoningEffort) != nil {
		return wrongType("reasoning_effort", "one of 'low', 'medium', or 'high'", effort)
	}
	if !s.kind.hosted() {
		if ok && s.kind == Ollama && !slices.Contains([]string{"none", "low", "medium", "high"}, r.ReasoningEffort) {
			return bad(fmt.Sprintf(`invalid reasoning value: '%s' (must be "high", "medium", "low", or "none")`, r.ReasoningEffort), "", "")
		}
		return nil
	}
	if !reasons(r.Model) {
		if ok {
			return bad("Unrecognized request argument supplied: reasoning_effort", "", "")
		}
		if r.MaxTokens > 16384 || r.MaxCompletionTokens > 16384 {
			n := max(r.MaxTokens, r.MaxCompletionTokens)
			return bad(fmt.Sprintf("max_tokens is too large: %d. This model supports at most 16384 completion tokens, whereas you provided %d.", n, n), "max_tokens", "invalid_value")
		}
		return nil
	}
	efforts := []string{"low", "medium", "high"}
	if strings.HasPrefix(r.Model, "gpt-5") {
		efforts = append(efforts, "none", "minimal", "xhigh")
	}
	if ok && !slices.Contains(efforts, r.ReasoningEffort) {
		return bad(fmt.Sprintf("Unsupported value: 'reasoning_effort' does not support '%s' with this model. Supported values are: '%s'.", r.ReasoningEffort, strings.Join(efforts, "', '")), "reasoning_effort", "unsupported_value")
	}
	if _, ok := fields["max_tokens"]; ok {
		return bad("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter")
	}
	if r.Temperature != nil && *r.Temperature != 1 {
		return bad(fmt.Sprintf("Unsupported value: 'temperature' does not support %s with this model. Only the default (1) value is supported.", fields["temperature"]), "temperature", "unsupported_value")
	}
	for _, name := range []string{"top_p", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs", "logit_bias"} {
		if _, ok := fields[name]; ok {
			return bad(fmt.Sprintf("Unsupported parameter: '%s' is not supported with this model.", name), name, "unsupported_parameter")
		}
	}
	return nil
}

func (s *Server) checkStream(fields map[string]json.RawMessage, r *Request) *fault {
	if raw, ok := fields["stream"]; ok && json.Unmarshal(raw, &r.Stream) != nil {
		return wrongType("stream", "a boolean", raw)
	}
	raw, ok := fields["stream_options"]
	if !ok {
		return nil
	}
	var options struct {
		IncludeUsage bool `json:"include_usage"`
	}
	if json.Unmarshal(raw, &options) != nil {
		return wrongType("stream_options", "an object", raw)
	}
	if !r.Stream && (s.kind.hosted() || s.kind == VLLM) {
		return bad("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options", "")
	}
	r.IncludeUsage = options.IncludeUsage
	return nil
}

var schemaName = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// checkFormat reads response_format.
func (s *Server) checkFormat(fields map[string]json.RawMessage, r *Request) *fault {
	raw, ok := fields["response_format"]
	if !ok {
		return nil
	}
	var format map[string]json.RawMessage
	if json.Unmarshal(raw, &format) != nil {
		return wrongType("response_format", "an object", raw)
	}
	var typ string
	if json.Unmarshal(format["type"], &typ) != nil {
		return bad("Missing required parameter: 'response_format.type'.", "response_format.type", "missing_required_parameter")
	}
	switch typ {
	case "text":
		return nil
	case "json_object", "json_schema":
		if !slices.Contains(s.formats, typ) {
			return s.unsupported(typ)
		}
	default:
		if s.kind == Ollama {
			return nil // it does not look
		}
		if s.kind == LlamaCpp {
			return s.unsupported(typ)
		}
		return bad(fmt.Sprintf("Invalid value: '%s'. Supported values are: 'json_object', 'json_schema', and 'text'.", typ), "response_format.type", "invalid_value")
	}
	r.Format = typ
	if typ == "json_object" {
		return s.checkWord(r)
	}
	return s.checkNamed(format["json_schema"], r)
}

// unsupported is what an older server says to a format that it lacks.
func (s *Server) unsupported(typ string) *fault {
	switch s.kind {
	case Ollama:
		return nil // the reply is whatever the model says
	case VLLM:
		return bad(fmt.Sprintf("[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text'\", 'input': '%s'}]", typ), "", "")
	case LlamaCpp:
		return bad(fmt.Sprintf(`response_format type must be one of "text" or "json_object", but got: %s`, typ), "", "")
	}
	return bad(fmt.Sprintf("Invalid parameter: 'response_format' of type '%s' is not supported with this model.", typ), "response_format", "")
}

// checkWord refuses json_object without the word JSON, as OpenAI does.
func (s *Server) checkWord(r *Request) *fault {
	said := slices.ContainsFunc(r.Messages, func(m Message) bool { return strings.Contains(strings.ToLower(m.Content), "json") })
	if said || !s.kind.hosted() {
		return nil
	}
	return bad("'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.", "messages", "")
}

// checkNamed reads response_format.json_schema.
func (s *Server) checkNamed(raw json.RawMessage, r *Request) *fault {
	const at = "response_format.json_schema"
	var named map[string]json.RawMessage
	if raw == nil || json.Unmarshal(raw, &named) != nil || named == nil {
		if s.kind == LlamaCpp || s.kind == Ollama {
			return nil // no schema, no grammar
		}
		return bad("Missing required parameter: '"+at+"'.", at, "missing_required_parameter")
	}
	strict := named["strict"]
	if strict != nil && string(strict) != "null" && json.Unmarshal(strict, &r.Strict) != nil {
		return wrongType(at+".strict", "a boolean", strict)
	}
	r.Schema = named["schema"]
	json.Unmarshal(named["name"], &r.SchemaName)
	if s.kind != LlamaCpp && s.kind != Ollama && r.SchemaName == "" {
		return bad("Missing required parameter: '"+at+".name'.", at+".name", "missing_required_parameter")
	}
	if r.Schema != nil && typeOf(r.Schema) != "an object" {
		return wrongType(at+".schema", "an object", r.Schema)
	}
	if s.kind == LlamaCpp {
		return convertible(r.Schema)
	}
	if !s.kind.hosted() {
		return nil
	}
	for name := range named {
		if !slices.Contains([]string{"name", "description", "schema", "strict"}, name) {
			return bad(fmt.Sprintf("Unknown parameter: '%s.%s'.", at, name), at+"."+name, "unknown_parameter")
		}
	}
	if !schemaName.MatchString(r.SchemaName) {
		return bad("Invalid '"+at+".name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", at+".name", "invalid_value")
	}
	if n := len(r.SchemaName); n > 64 {
		return bad(fmt.Sprintf("Invalid '%s.name': string too long. Expected a string with maximum length 64, but got a string with length %d instead.", at, n), at+".name", "string_above_max_length")
	}
	if !r.Strict {
		return nil
	}
	if wrong := strictSchema(r.Schema); wrong != "" {
		f := bad(fmt.Sprintf("Invalid schema for response_format '%s': %s", r.SchemaName, wrong), "response_format", "invalid_json_schema")
		if s.kind == Azure {
			f.code = ""
		}
		return f
	}
	return nil
}
