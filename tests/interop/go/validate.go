// Validates every vector in the folder BDC_OPENAPI against its schema, with gojsonschema.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/xeipuuv/gojsonschema"
)

type entry struct {
	File, Schema   string
	Valid, Invalid int
}

type vector struct {
	Why   string
	Valid bool
	Body  json.RawMessage
}

var folder = filepath.Join(os.Getenv("BDC_OPENAPI"), "vectors")

func read(path string, into any) {
	text, err := os.ReadFile(filepath.Join(folder, path))
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		fail(fmt.Sprintf("vectors/%s: %v", path, err))
	}
}

func fail(wrong ...string) {
	for _, line := range wrong {
		fmt.Fprintln(os.Stderr, line)
	}
	os.Exit(1)
}

func compiled(path string) *gojsonschema.Schema {
	var schema map[string]any
	read(path, &schema)
	loader := gojsonschema.NewSchemaLoader()
	// The library supports dialects up to draft-07, so it must ignore the one that the schema declares.
	loader.AutoDetect = false
	loader.Draft = gojsonschema.Draft7
	loader.Validate = true
	validator, err := loader.Compile(gojsonschema.NewGoLoader(schema))
	if err != nil {
		fail(fmt.Sprintf("gojsonschema: vectors/%s: %v", path, err))
	}
	return validator
}

func word(valid bool) string {
	if valid {
		return "valid"
	}
	return "invalid"
}

func main() {
	var index []entry
	read("index.json", &index)
	var wrong []string

	listed := map[string]bool{"index.json": true}
	for _, entry := range index {
		listed[entry.File] = true
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		fail(err.Error())
	}
	for _, file := range files {
		if !listed[file.Name()] {
			wrong = append(wrong, fmt.Sprintf("vectors/%s: is not in vectors/index.json", file.Name()))
		}
	}

	count := 0
	for _, entry := range index {
		var vectors []vector
		read(entry.File, &vectors)
		validator := compiled(entry.Schema)
		valid := 0
		for _, vector := range vectors {
			count++
			if vector.Valid {
				valid++
			}
			result, err := validator.Validate(gojsonschema.NewBytesLoader(vector.Body))
			if err != nil {
				fail(fmt.Sprintf("gojsonschema: vectors/%s: %s: %v", entry.File, vector.Why, err))
			}
			if result.Valid() != vector.Valid {
				got := word(result.Valid())
				if !result.Valid() {
					got += fmt.Sprintf(" %v", result.Errors())
				}
				wrong = append(wrong, fmt.Sprintf("gojsonschema: vectors/%s: %s: expected %s, got %s",
					entry.File, vector.Why, word(vector.Valid), got))
			}
		}
		if invalid := len(vectors) - valid; valid != entry.Valid || invalid != entry.Invalid {
			wrong = append(wrong, fmt.Sprintf("vectors/%s: has %d valid and %d invalid vectors, "+
				"vectors/index.json says %d and %d", entry.File, valid, invalid, entry.Valid, entry.Invalid))
		}
	}
	if count == 0 {
		wrong = append(wrong, "vectors/index.json: lists no vectors")
	}
	if len(wrong) > 0 {
		fail(wrong...)
	}
	fmt.Printf("gojsonschema %d\n", count)
}
