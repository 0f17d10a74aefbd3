package llmtest

import (
	"net/http"
	"strings"
	"testing"
)

var kinds = []Kind{OpenAI, Azure, Ollama, VLLM, LlamaCpp}

// What is right is answered by every kind.
func TestRight(t *testing.T) {
	for _, kind := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			s := NewServer(t, kind)
			for name, body := range map[string]fields{
				"Plain":       s.hello(),
				"Temperature": s.hello().with("temperature", 0),
				"Null":        s.hello().with("reasoning_effort", nil),
				"Limit":       s.hello().with("max_tokens", 100),
				"Parts":       s.hello().with("messages", []fields{{"role": "user", "content": []fields{{"type": "text", "text": "Hi"}}}}),
			} {
				if got := s.ask(t, body).says(t); got != Sentence {
					t.Errorf("%s: reply = %q, want %q", name, got, Sentence)
				}
			}
		})
	}
}

func TestWrong(t *testing.T) {
	message := func(m fields) func(fields) { return func(f fields) { f["messages"] = []fields{m} } }
	set := func(key string, value any) func(fields) { return func(f fields) { f[key] = value } }
	drop := func(key string) func(fields) { return func(f fields) { delete(f, key) } }
	both := func(edits ...func(fields)) func(fields) {
		return func(f fields) {
			for _, edit := range edits {
				edit(f)
			}
		}
	}
	mini := set("model", "gpt-5-mini")
	schema := func(named fields) func(fields) {
		return set("response_format", fields{"type": "json_schema", "json_schema": named})
	}
	for _, tt := range []struct {
		name   string
		kinds  []Kind
		edit   func(fields)
		status int
		want   string // in the body
	}{
		{"UnknownName", []Kind{OpenAI, Azure}, set("num_ctx", 8192), 400, `"Unrecognized request argument supplied: num_ctx","type":"invalid_request_error","param":null,"code":null`},
		{"UnknownNameIgnored", []Kind{Ollama, VLLM, LlamaCpp}, set("num_ctx", 8192), 200, `"choices":[{`},
		{"NoModel", []Kind{OpenAI}, drop("model"), 400, "you must provide a model parameter"},
		{"NoModelOllama", []Kind{Ollama}, drop("model"), 400, "model is required"},
		{"NoModelOneServed", []Kind{VLLM, LlamaCpp}, drop("model"), 200, `"choices":[{`},
		{"OtherModel", []Kind{OpenAI}, set("model", "gpt-9"), 404, "\"The model `gpt-9` does not exist or you do not have access to it.\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"model_not_found\""},
		{"OtherModelOllama", []Kind{Ollama}, set("model", "gpt-9"), 404, `{"error":{"message":"model 'gpt-9' not found","type":"not_found_error","param":null,"code":null}}`},
		{"OtherModelVLLM", []Kind{VLLM}, set("model", "gpt-9"), 404, "{\"error\":{\"message\":\"The model `gpt-9` does not exist.\",\"type\":\"NotFoundError\",\"param\":\"model\",\"code\":404}}"},
		{"OtherModelLlamaCpp", []Kind{LlamaCpp}, set("model", "gpt-9"), 200, `"model":"model.gguf"`},
		{"Tag", []Kind{Ollama}, set("model", "llama3.2:latest"), 200, `"choices":[{`},
		{"ModelNoString", []Kind{OpenAI, Ollama, VLLM, LlamaCpp}, set("model", 5), 400, "Invalid type for 'model'"},

		{"NoMessages", kinds, drop("messages"), 400, "Missing required parameter: 'messages'."},
		{"EmptyMessages", []Kind{OpenAI, Azure, VLLM, LlamaCpp}, set("messages", []fields{}), 400, "Invalid 'messages': empty array"},
		{"EmptyMessagesOllama", []Kind{Ollama}, set("messages", []fields{}), 400, "[] is too short - 'messages'"},
		{"MessagesNoArray", kinds, set("messages", "hi"), 400, "Invalid type for 'messages'"},
		{"NoRole", kinds, message(fields{"content": "hi"}), 400, "Missing required parameter: 'messages[0].role'."},
		{"OtherRole", kinds, message(fields{"role": "bot", "content": "hi"}), 400, "Invalid value: 'bot'. Supported values are: 'system', 'assistant', 'user'"},
		{"Developer", []Kind{OpenAI, Azure}, message(fields{"role": "developer", "content": "hi"}), 200, `"choices":[{`},
		{"DeveloperElsewhere", []Kind{Ollama, VLLM, LlamaCpp}, message(fields{"role": "developer", "content": "hi"}), 400, "Invalid value: 'developer'"},
		{"RoleNoString", kinds, message(fields{"role": 5, "content": "hi"}), 400, "Invalid type for 'messages[0].role': expected a string, but got an integer instead."},
		{"NullRole", kinds, message(fields{"role": nil, "content": "hi"}), 400, "Invalid value: ''"},
		{"Image", kinds, message(fields{"role": "user", "content": []fields{{"type": "image_url", "image_url": fields{"url": "data:x"}}}}), 200, `"choices":[{`},
		{"NoContent", kinds, message(fields{"role": "user"}), 400, "expected a string, got null"},
		{"NullContent", kinds, message(fields{"role": "user", "content": nil}), 400, "expected a string, got null"},
		{"NumberContent", kinds, message(fields{"role": "user", "content": 5}), 400, "Invalid type for 'messages[0].content': expected one of a string or array of objects, but got an integer instead."},
		{"EmptyParts", kinds, message(fields{"role": "user", "content": []fields{}}), 400, "Invalid 'messages[0].content': empty array"},
		{"OtherPart", kinds, message(fields{"role": "user", "content": []fields{{"type": "video"}}}), 400, "Invalid value: 'video'"},
		{"PartWithoutText", kinds, message(fields{"role": "user", "content": []fields{{"type": "text"}}}), 400, "messages[0].content[0].text"},
		{"UnknownInMessage", []Kind{OpenAI, Azure}, message(fields{"role": "user", "content": "hi", "reasoning_content": "x"}), 400, "Unknown parameter: 'messages[0].reasoning_content'."},

		{"TemperatureNoNumber", kinds, set("temperature", "0"), 400, "Invalid type for 'temperature': expected a decimal, but got a string instead."},
		{"TemperatureBool", kinds, set("temperature", true), 400, "but got a boolean instead."},
		{"TemperatureArray", kinds, set("temperature", []int{1}), 400, "but got an array instead."},
		{"TemperatureObject", kinds, set("temperature", fields{}), 400, "but got an object instead."},
		{"TemperatureBelow", kinds, set("temperature", -1), 400, "decimal below minimum value"},
		{"TemperatureAbove", []Kind{OpenAI, Azure}, set("temperature", 2.5), 400, "decimal above maximum value. Expected a value <= 2, but got 2.5 instead."},
		{"LimitNoInteger", kinds, set("max_tokens", 1.5), 400, "Invalid type for 'max_tokens': expected an integer, but got a decimal instead."},
		{"LimitBelow", []Kind{OpenAI, Azure, VLLM}, set("max_tokens", 0), 400, "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got 0 instead."},
		{"LimitAbove", []Kind{OpenAI, Azure}, set("max_tokens", 20000), 400, "max_tokens is too large: 20000."},
		{"TwoLimits", []Kind{OpenAI, Azure}, both(set("max_tokens", 5), set("max_completion_tokens", 5)), 400, "at the same time"},

		{"MaxTokens", []Kind{OpenAI}, both(mini, set("max_tokens", 5)), 400, `"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"`},
		{"MaxCompletionTokens", []Kind{OpenAI}, both(mini, set("max_completion_tokens", 100)), 200, `"choices":[{`},
		{"TemperatureReasoning", []Kind{OpenAI}, both(mini, set("temperature", 0.3)), 400, `"Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"`},
		{"TemperatureZeroReasoning", []Kind{OpenAI}, both(mini, set("temperature", 0)), 400, "does not support 0 with"},
		{"TemperatureOne", []Kind{OpenAI}, both(mini, set("temperature", 1)), 200, `"choices":[{`},
		{"TopP", []Kind{OpenAI}, both(mini, set("top_p", 0.5)), 400, "'top_p' is not supported"},
		{"Effort", []Kind{OpenAI}, both(mini, set("reasoning_effort", "minimal")), 200, `"choices":[{`},
		{"OtherEffort", []Kind{OpenAI}, both(mini, set("reasoning_effort", "huge")), 400, "'reasoning_effort' does not support 'huge'"},
		{"EffortNoString", kinds, set("reasoning_effort", 1), 400, "Invalid type for 'reasoning_effort'"},
		{"EffortElsewhere", []Kind{OpenAI, Azure}, set("reasoning_effort", "low"), 400, `"Unrecognized request argument supplied: reasoning_effort","type":"invalid_request_error","param":null`},
		{"EffortOllama", []Kind{Ollama}, set("reasoning_effort", "minimal"), 400, "invalid reasoning value: 'minimal'"},

		{"StreamNoBool", kinds, set("stream", "yes"), 400, "Invalid type for 'stream'"},
		{"OptionsNoObject", kinds, set("stream_options", 1), 400, "Invalid type for 'stream_options'"},
		{"OptionsWithoutStream", []Kind{OpenAI, Azure, VLLM}, set("stream_options", fields{"include_usage": true}), 400, "only allowed when 'stream' is enabled"},

		{"FormatNoObject", kinds, set("response_format", "json"), 400, "Invalid type for 'response_format'"},
		{"FormatWithoutType", kinds, set("response_format", fields{}), 400, "response_format.type"},
		{"OtherFormat", []Kind{OpenAI, Azure, VLLM}, set("response_format", fields{"type": "xml"}), 400, "Invalid value: 'xml'. Supported values are: 'json_object', 'json_schema', and 'text'."},
		{"OtherFormatLlamaCpp", []Kind{LlamaCpp}, set("response_format", fields{"type": "xml"}), 400, `response_format type must be one of \"text\" or \"json_object\", but got: xml`},
		{"OtherFormatOllama", []Kind{Ollama}, set("response_format", fields{"type": "xml"}), 200, `"content":"This is a reply`},
		{"Text", kinds, set("response_format", fields{"type": "text"}), 200, `"choices":[{`},
		{"ObjectWithoutWord", []Kind{OpenAI, Azure}, set("response_format", fields{"type": "json_object"}), 400, `"'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.","type":"invalid_request_error","param":"messages"`},
		{"ObjectWithoutWordElsewhere", []Kind{Ollama, VLLM, LlamaCpp}, set("response_format", fields{"type": "json_object"}), 200, `"content":"{}"`},
		{"Object", kinds, both(message(fields{"role": "user", "content": "Say it in JSON."}), set("response_format", fields{"type": "json_object"})), 200, `"content":"{}"`},
		{"NoSchema", []Kind{OpenAI, Azure, VLLM}, schema(nil), 400, "Missing required parameter: 'response_format.json_schema'."},
		{"NoSchemaElsewhere", []Kind{Ollama, LlamaCpp}, schema(nil), 200, `"choices":[{`},
		{"NoName", []Kind{OpenAI, Azure, VLLM}, schema(fields{"schema": fields{"type": "object"}}), 400, "'response_format.json_schema.name'"},
		{"NoNameElsewhere", []Kind{Ollama, LlamaCpp}, schema(fields{"schema": fields{"type": "object"}}), 200, `"content":"{}"`},
		{"NamePattern", []Kind{OpenAI, Azure}, schema(fields{"name": "my answer", "schema": fields{"type": "object"}}), 400, "string does not match pattern"},
		{"NameLong", []Kind{OpenAI, Azure}, schema(fields{"name": strings.Repeat("a", 65), "schema": fields{"type": "object"}}), 400, "string too long. Expected a string with maximum length 64"},
		{"StrictNoBool", kinds, schema(fields{"name": "a", "strict": "yes", "schema": fields{"type": "object"}}), 400, "response_format.json_schema.strict"},
		{"SchemaNoObject", kinds, schema(fields{"name": "a", "schema": "x"}), 400, "Invalid type for 'response_format.json_schema.schema'"},
		{"NullSchema", kinds, schema(fields{"name": "a", "schema": nil}), 400, "expected an object, but got null instead."},
		{"UnknownInSchema", []Kind{OpenAI, Azure}, schema(fields{"name": "a", "schema": fields{"type": "object"}, "extra": 1}), 400, "Unknown parameter: 'response_format.json_schema.extra'."},
		{"Lax", []Kind{OpenAI, Azure}, schema(fields{"name": "a", "schema": fields{"type": "object", "allOf": []fields{}}}), 200, `"choices":[{`},
		{"Strict", []Kind{OpenAI}, schema(fields{"name": "a", "strict": true, "schema": fields{"type": "object"}}), 400, `"Invalid schema for response_format 'a': In context=(), 'additionalProperties' is required to be supplied and to be false.","type":"invalid_request_error","param":"response_format","code":"invalid_json_schema"`},
		{"StrictAzure", []Kind{Azure}, schema(fields{"name": "a", "strict": true, "schema": fields{"type": "object"}}), 400, `supplied and to be false.","type":"invalid_request_error","param":"response_format","code":null`},
		{"StrictElsewhere", []Kind{Ollama, VLLM, LlamaCpp}, schema(fields{"name": "a", "strict": true, "schema": fields{"type": "object"}}), 200, `"choices":[{`},
		{"Grammar", []Kind{LlamaCpp}, schema(fields{"name": "a", "schema": fields{"type": "object", "properties": fields{"a": fields{"type": "array", "items": fields{"type": "widget"}}}}}), 400, `JSON schema conversion failed:\nUnrecognized schema`},
	} {
		for _, kind := range tt.kinds {
			t.Run(tt.name+"/"+string(kind), func(t *testing.T) {
				s := NewServer(t, kind)
				body := s.hello()
				tt.edit(body)
				got := s.ask(t, body)
				if got.status != tt.status || !strings.Contains(got.body, tt.want) {
					t.Errorf("ask(%v) = %d %s, want %d with %s", body, got.status, got.body, tt.status, tt.want)
				}
			})
		}
	}
}

func TestWrongCall(t *testing.T) {
	for _, tt := range []struct {
		name   string
		kinds  []Kind
		edit   func(*http.Request)
		status int
		want   string
	}{
		{"NoKey", []Kind{OpenAI}, func(r *http.Request) { r.Header.Del("Authorization") }, 401, "You didn't provide an API key"},
		{"OtherKey", []Kind{OpenAI}, func(r *http.Request) { r.Header.Set("Authorization", "Bearer sk-other-key-0123") }, 401, `"Incorrect API key provided: sk-other***0123.","type":"invalid_request_error","param":null,"code":"invalid_api_key"`},
		{"ShortKey", []Kind{OpenAI}, func(r *http.Request) { r.Header.Set("Authorization", "Bearer abc") }, 401, "Incorrect API key provided: ***."},
		{"NoBearer", []Kind{OpenAI, LlamaCpp, VLLM}, func(r *http.Request) {
			r.Header.Set("Authorization", strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		}, 401, `"error"`},
		{"OtherKeyAzure", []Kind{Azure}, func(r *http.Request) { r.Header.Set("api-key", "x") }, 401, `{"error":{"code":"401","message":"Access denied`},
		{"BearerAzure", []Kind{Azure}, func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+r.Header.Get("api-key"))
			r.Header.Del("api-key")
		}, 401, `"code":"401"`},
		{"OtherKeyVLLM", []Kind{VLLM}, func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, 401, `{"error":"Unauthorized"}`},
		{"OtherKeyLlamaCpp", []Kind{LlamaCpp}, func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, 401, `{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}`},
		{"NoKeyOllama", []Kind{Ollama}, func(r *http.Request) { r.Header.Del("Authorization") }, 200, `"choices":[{`},

		{"Path", []Kind{OpenAI}, func(r *http.Request) { r.URL.Path = "/chat/completions" }, 404, "Invalid URL (POST /chat/completions)"},
		{"PathAzure", []Kind{Azure}, func(r *http.Request) { r.URL.Path = "/v1/chat/completions" }, 404, `{"error":{"code":"404","message":"Resource not found"}}`},
		{"PathOllama", []Kind{Ollama}, func(r *http.Request) { r.URL.Path += "/" }, 404, "404 page not found"},
		{"PathVLLM", []Kind{VLLM}, func(r *http.Request) { r.URL.Path = "/v1/v1/chat/completions" }, 404, `{"detail":"Not Found"}`},
		{"PathLlamaCpp", []Kind{LlamaCpp}, func(r *http.Request) { r.URL.Path = "/v2/chat/completions" }, 404, "File Not Found"},
		{"NoVersion", []Kind{Azure}, func(r *http.Request) { r.URL.RawQuery = "" }, 404, "Resource not found"},
		{"OtherVersion", []Kind{Azure}, func(r *http.Request) { r.URL.RawQuery = "api-version=latest" }, 404, "Resource not found"},
		{"Deployment", []Kind{Azure}, func(r *http.Request) { r.URL.Path = "/openai/deployments/other/chat/completions" }, 404, `{"error":{"code":"DeploymentNotFound"`},
		{"Method", []Kind{OpenAI}, func(r *http.Request) { r.Method = "PUT" }, 405, "method_not_supported"},
		{"MethodVLLM", []Kind{VLLM}, func(r *http.Request) { r.Method = "PUT" }, 405, "Method Not Allowed"},
		{"MethodElsewhere", []Kind{Azure, Ollama, LlamaCpp}, func(r *http.Request) { r.Method = "PUT" }, 404, ""},
		{"NoType", []Kind{OpenAI, Azure}, func(r *http.Request) { r.Header.Del("Content-Type") }, 400, "unsupported_content_type"},
		{"OtherType", []Kind{OpenAI, Azure}, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 400, "unsupported_content_type"},
		{"Charset", kinds, func(r *http.Request) { r.Header.Set("Content-Type", "application/json; charset=utf-8") }, 200, `"choices":[{`},
		{"OtherTypeVLLM", []Kind{VLLM}, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415, "Unsupported Media Type"},
		{"OtherTypeElsewhere", []Kind{Ollama, LlamaCpp}, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 200, `"choices":[{`},
	} {
		for _, kind := range tt.kinds {
			t.Run(tt.name+"/"+string(kind), func(t *testing.T) {
				s := NewServer(t, kind)
				hr := s.call(t, s.hello())
				tt.edit(hr)
				got := do(t, hr)
				if got.status != tt.status || !strings.Contains(got.body, tt.want) {
					t.Errorf("%s %s = %d %s, want %d with %s", hr.Method, hr.URL, got.status, got.body, tt.status, tt.want)
				}
			})
		}
	}
}

func TestWrongJSON(t *testing.T) {
	for _, body := range []string{"", "{", "[]", "null", `"x"`, `{"model":"gpt-4o-mini"} x`, "{\"model\":\"\xff\"}"} {
		for _, kind := range kinds {
			if got := NewServer(t, kind).ask(t, []byte(body)); got.status != 400 || !strings.Contains(got.body, "We could not parse the JSON body") {
				t.Errorf("%s: ask(%q) = %d %s, want 400", kind, body, got.status, got.body)
			}
		}
	}
}

// An older server has fewer formats; Ollama does not say so.
func TestFormats(t *testing.T) {
	object := fields{"type": "json_object"}
	schema := fields{"type": "json_schema", "json_schema": fields{"name": "a", "schema": fields{"type": "object"}}}
	for _, tt := range []struct {
		kind   Kind
		has    []string
		format fields
		status int
		want   string
	}{
		{OpenAI, []string{"json_object"}, schema, 400, "'response_format' of type 'json_schema' is not supported with this model"},
		{OpenAI, nil, object, 400, "'response_format' of type 'json_object' is not supported with this model"},
		{VLLM, nil, schema, 400, "Input should be 'text'"},
		{LlamaCpp, []string{"json_object"}, schema, 400, `but got: json_schema`},
		{LlamaCpp, []string{"json_object"}, object, 200, `"content":"{}"`},
		{Ollama, []string{"json_object"}, schema, 200, `"content":"This is a reply`},
		{Ollama, nil, object, 200, `"content":"This is a reply`},
	} {
		s := NewServer(t, tt.kind, Formats(tt.has...))
		got := s.ask(t, s.hello().with("response_format", tt.format))
		if got.status != tt.status || !strings.Contains(got.body, tt.want) {
			t.Errorf("%s with %v: ask(%v) = %d %s, want %d with %s", tt.kind, tt.has, tt.format, got.status, got.body, tt.status, tt.want)
		}
	}
}

func TestContext(t *testing.T) {
	long := []fields{{"role": "system", "content": strings.Repeat("s", 400)}, {"role": "user", "content": strings.Repeat("u", 40)}}
	for _, tt := range []struct {
		kind   Kind
		limit  int // of the reply
		status int
		want   string
	}{
		{OpenAI, 0, 400, "This model's maximum context length is 100 tokens. However, your messages resulted in 110 tokens. Please reduce the length of the messages.\",\"type\":\"invalid_request_error\",\"param\":\"messages\",\"code\":\"context_length_exceeded\""},
		{Azure, 0, 400, "context_length_exceeded"},
		{VLLM, 0, 400, `"type":"BadRequestError","param":"messages","code":400`},
		{LlamaCpp, 0, 400, `{"error":{"code":400,"message":"request (110 tokens) exceeds the available context size (100 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":110,"n_ctx":100}}`},
		{Ollama, 0, 200, `"prompt_tokens":100`},
	} {
		s := NewServer(t, tt.kind, Context(100))
		got := s.ask(t, s.hello().with("messages", long))
		if got.status != tt.status || !strings.Contains(got.body, tt.want) {
			t.Errorf("%s: ask(110 tokens) = %d %s, want %d with %s", tt.kind, got.status, got.body, tt.status, tt.want)
		}
		r := s.Requests()[0]
		if want := tt.kind == Ollama; r.Truncated != want {
			t.Errorf("%s: Truncated = %t, want %t", tt.kind, r.Truncated, want)
		}
		if tt.kind != Ollama {
			continue
		}
		if len(r.Seen) != 2 || len(r.Seen[0].Content) != 360 || len(r.Seen[1].Content) != 40 || len(r.Messages[0].Content) != 400 {
			t.Errorf("Seen = %v, want the last 360 of 400 characters and the 40", r.Seen)
		}
	}
	for _, kind := range []Kind{OpenAI, Azure, VLLM} {
		s := NewServer(t, kind, Context(100))
		if got := s.ask(t, s.hello().with("max_tokens", 99)); got.status != 400 || !strings.Contains(got.body, "you requested 107 tokens (8 in the messages, 99 in the completion)") {
			t.Errorf("%s: ask(8 tokens and 99) = %d %s, want 400", kind, got.status, got.body)
		}
	}
}

// OpenAI's models differ in what they take by their names, local ones do not.
func TestReasons(t *testing.T) {
	for _, tt := range []struct {
		kind   Kind
		model  string
		status int
	}{
		{OpenAI, "o1", 400}, {OpenAI, "o3-mini", 400}, {OpenAI, "o4-mini", 400}, {OpenAI, "gpt-5", 400}, {Azure, "gpt-5.1", 400},
		{OpenAI, "gpt-5-chat-latest", 200}, {OpenAI, "gpt-4.1", 200}, {OpenAI, "openai/gpt-5", 200},
		{Ollama, "o3-local", 200}, {VLLM, "gpt-5-local", 200}, {LlamaCpp, "o1x", 200},
	} {
		s := NewServer(t, tt.kind, Models(tt.model))
		if got := s.ask(t, s.hello().with("temperature", 0.3).with("max_tokens", 5)); got.status != tt.status {
			t.Errorf("%s: ask(%s) = %d %s, want %d", tt.kind, tt.model, got.status, got.body, tt.status)
		}
	}
	s := NewServer(t, OpenAI, Models("o3-mini"))
	if got := s.ask(t, s.hello().with("reasoning_effort", "minimal")); got.status != 400 {
		t.Errorf("ask(o3-mini, minimal) = %d, want 400", got.status)
	}
}

func TestFlatErrors(t *testing.T) {
	s := NewServer(t, VLLM, FlatErrors())
	got := s.ask(t, s.hello().with("model", "x"))
	if want := "{\"object\":\"error\",\"message\":\"The model `x` does not exist.\",\"type\":\"NotFoundError\",\"param\":\"model\",\"code\":404}"; got.status != 404 || got.body != want {
		t.Errorf("ask = %d %s, want 404 %s", got.status, got.body, want)
	}
}
