package safety

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// decodeStrict decodes one JSON value into v. Unlike encoding/json it names
// every unknown field, doubled field and wrong kind by its path.
func decodeStrict(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	c := &checker{d: d}
	c.value("$", reflect.TypeOf(v).Elem(), 0)
	if c.err == nil {
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			c.fault("$", "something follows the value")
		}
	}
	if c.err != nil {
		return fmt.Errorf("$: %w", c.err)
	}
	if len(c.faults) > 0 {
		return errors.Join(c.faults...)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("$: %w", err)
	}
	return nil
}

type checker struct {
	d      *json.Decoder
	faults []error
	err    error // not JSON
}

func (c *checker) fault(path, format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf("%s: %s", path, fmt.Sprintf(format, args...)))
}

func (c *checker) token() json.Token {
	if c.err != nil {
		return nil
	}
	t, err := c.d.Token()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		c.err = err
	}
	return t
}

const maxDepth = 20

// value checks the next value against t; a nil t takes anything.
func (c *checker) value(path string, t reflect.Type, depth int) {
	if depth > maxDepth {
		c.err = fmt.Errorf("%s: nested too deeply", path)
	}
	tok := c.token()
	if c.err != nil {
		return
	}
	kind := reflect.Invalid
	if t != nil {
		kind = t.Kind()
	}
	switch tok := tok.(type) {
	case json.Delim:
		if tok == '{' {
			if t != nil && kind != reflect.Struct && kind != reflect.Map {
				c.fault(path, "an object, want %s", kindName(kind))
				t = nil
			}
			c.object(path, t, depth)
			return
		}
		if t != nil && kind != reflect.Slice {
			c.fault(path, "a list, want %s", kindName(kind))
			t = nil
		}
		var elem reflect.Type
		if t != nil {
			elem = t.Elem()
		}
		for i := 0; c.err == nil && c.d.More(); i++ {
			c.value(fmt.Sprintf("%s[%d]", path, i), elem, depth+1)
		}
		c.token()
	case string:
		if t != nil && kind != reflect.String {
			c.fault(path, "a string, want %s", kindName(kind))
		}
	case bool:
		if t != nil && kind != reflect.Bool {
			c.fault(path, "%v, want %s", tok, kindName(kind))
		}
	case json.Number:
		if _, err := strconv.Atoi(tok.String()); t != nil && (kind != reflect.Int || err != nil) {
			c.fault(path, "%v, want %s", tok, kindName(kind))
		}
	default: // null
		if t != nil {
			c.fault(path, "%v, want %s", tok, kindName(kind))
		}
	}
}

func (c *checker) object(path string, t reflect.Type, depth int) {
	seen := map[string]bool{}
	for c.err == nil && c.d.More() {
		key, _ := c.token().(string)
		at := path + "." + key
		if seen[key] {
			c.fault(at, "given twice")
		}
		seen[key] = true
		var field reflect.Type
		switch {
		case t == nil:
		case t.Kind() == reflect.Map:
			field = t.Elem()
		default:
			if field = fieldType(t, key); field == nil {
				c.fault(at, "unknown field")
			}
		}
		c.value(at, field, depth+1)
	}
	c.token()
}

func fieldType(t reflect.Type, key string) reflect.Type {
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() && name == key {
			return f.Type
		}
	}
	return nil
}

func kindName(k reflect.Kind) string {
	switch k {
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	}
	return "a " + k.String()
}
