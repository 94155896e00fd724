// Checks the types that quicktype generated, and converts every valid vector to them and back.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"./connector"
)

type entry struct{ Schema, Vectors string }

type schema struct {
	Title      string
	Properties map[string]struct{ Type any }
	Required   []string
}

var folder = filepath.Join(os.Getenv("BDC_OPENAPI"), "schemas")
var wrong []string

func complain(format string, words ...any) {
	wrong = append(wrong, fmt.Sprintf(format, words...))
}

func read(path string, into any) {
	text, err := os.ReadFile(filepath.Join(folder, path))
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "schemas/%s: %v\n", path, err)
		os.Exit(1)
	}
}

// quicktype changes Url to URL, according to Go conventions.
func folded(name string) string {
	return strings.ToLower(name)
}

// The names of the types in a file, folded.
func declared(path string) map[string]bool {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	names := map[string]bool{}
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, ok := node.(*ast.TypeSpec); ok {
			names[folded(spec.Name.Name)] = true
		}
		return true
	})
	return names
}

// The fields by their name on the wire.
func fields(of reflect.Type) map[string]reflect.StructField {
	found := map[string]reflect.StructField{}
	for _, field := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		found[name] = field
	}
	return found
}

// The type without enclosing pointers and slices.
func inner(of reflect.Type) reflect.Type {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	return of
}

// Reports where a type, or one that it contains, differs from the schema.
func compare(of reflect.Type, schemas map[string]schema) {
	schema := schemas[folded(of.Name())]
	required := map[string]bool{}
	for _, name := range schema.Required {
		required[name] = true
	}
	found := fields(of)
	for name := range schema.Properties {
		if _, ok := found[name]; !ok {
			complain("%s: has no field for %s", of.Name(), name)
		}
	}
	for name, field := range found {
		property, ok := schema.Properties[name]
		if !ok {
			complain("%s.%s: is %q on the wire, which is not in the schema", of.Name(), field.Name, name)
		}
		if strings.HasSuffix(string(field.Tag), `,omitempty"`) == required[name] {
			complain("%s.%s: has `omitempty` although it is required, or lacks it although it is optional", of.Name(), field.Name)
		}
		if property.Type == "number" && inner(field.Type).Kind() != reflect.Float64 {
			complain("%s.%s: is %v instead of float64", of.Name(), field.Name, field.Type)
		}
		if inner(field.Type).Kind() == reflect.Struct {
			compare(inner(field.Type), schemas)
		}
	}
}

// Whether the type has any JSON value, as the `response` of a callback has.
func isOpen(of reflect.Type) bool {
	return inner(of).Kind() == reflect.Interface || inner(of).Kind() == reflect.Map
}

func decoded(text []byte) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		complain("%v", err)
	}
	return value
}

// Three differences are tolerated and counted: encoding/json drops fields that the type does not have, `omitempty`
// drops an empty list and null, and a float64 has a precision of about sixteen digits.
var unknown, empty, rounded int

func differences(of reflect.Type, place string, sent, back any) {
	switch sent := sent.(type) {
	case map[string]any:
		back, _ := back.(map[string]any)
		types := map[string]reflect.Type{}
		if isOpen(of) {
			for name := range sent {
				types[name] = of
			}
		} else {
			for name, field := range fields(inner(of)) {
				types[name] = field.Type
			}
		}
		for name, value := range sent {
			list, isList := value.([]any)
			switch _, came := back[name]; {
			case types[name] == nil && !came:
				unknown++
			case (value == nil || isList && len(list) == 0) && !came:
				empty++
			case !came:
				complain("%s.%s: was lost", place, name)
			default:
				differences(types[name], place+"."+name, value, back[name])
			}
		}
		for name := range back {
			if _, ok := sent[name]; !ok {
				complain("%s.%s: was added", place, name)
			}
		}
	case []any:
		back, _ := back.([]any)
		if len(back) != len(sent) {
			complain("%s: has %d elements instead of %d", place, len(back), len(sent))
			return
		}
		element := of
		if !isOpen(of) {
			element = of.Elem()
		}
		for at := range sent {
			differences(element, fmt.Sprintf("%s.%d", place, at), sent[at], back[at])
		}
	case json.Number:
		back, _ := back.(json.Number)
		asFloat, _ := sent.Float64()
		came, err := back.Float64()
		exact, _ := new(big.Rat).SetString(sent.String())
		switch exactly, _ := new(big.Rat).SetString(back.String()); {
		case err != nil || came != asFloat:
			complain("%s: %s came back as %s", place, sent, back)
		case exact.Cmp(exactly) != 0:
			rounded++
		}
	default:
		if !reflect.DeepEqual(sent, back) {
			complain("%s: %v came back as %v", place, sent, back)
		}
	}
}

func main() {
	var index struct {
		Types      string
		Records    map[string]string
		Operations map[string]entry
		Callbacks  struct {
			entry
			Records map[string]string
		}
	}
	read("index.json", &index)
	// The callbacks have a schema and vectors, like an operation.
	index.Operations["callback"] = index.Callbacks.entry
	files := []string{index.Types}
	for _, file := range index.Records {
		files = append(files, file)
	}
	for _, file := range index.Callbacks.Records {
		files = append(files, file)
	}
	for _, operation := range index.Operations {
		files = append(files, operation.Schema)
	}
	schemas := map[string]schema{}
	names := declared("connector/requests.go")
	for _, file := range files {
		var schema schema
		read(file, &schema)
		schemas[folded(schema.Title)] = schema
		// An object without properties becomes a map.
		if !names[folded(schema.Title)] && len(schema.Properties) > 0 {
			complain("%s: the type is missing", schema.Title)
		}
	}
	for name := range names {
		if _, ok := schemas[name]; !ok {
			complain("%s: no schema has this title", name)
		}
	}
	compare(reflect.TypeOf(connector.Requests{}), schemas)

	requests := fields(reflect.TypeOf(connector.Requests{}))
	sent := 0
	for operation, entry := range index.Operations {
		var vectors []struct {
			Why   string
			Valid bool
			Body  json.RawMessage
		}
		read(entry.Vectors, &vectors)
		for _, vector := range vectors {
			if !vector.Valid {
				continue
			}
			place := fmt.Sprintf("%s: %s: body", operation, vector.Why)
			request := reflect.New(requests[operation].Type)
			err := json.Unmarshal(vector.Body, request.Interface())
			back, _ := json.Marshal(request.Interface())
			if err != nil {
				complain("%s: %v", place, err)
				continue
			}
			differences(request.Type().Elem(), place, decoded(vector.Body), decoded(back))
			sent++
		}
	}
	if sent == 0 {
		complain("no vector was converted")
	}
	if len(wrong) > 0 {
		fmt.Fprintln(os.Stderr, strings.Join(wrong, "\n"))
		os.Exit(1)
	}
	fmt.Printf("%d types, %d valid vectors there and back, less %d unknown fields, %d empty lists or nulls ", len(names), sent, unknown, empty)
	fmt.Printf("and the last digits of %d amounts\n", rounded)
}
