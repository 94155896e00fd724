// Tests the client that openapi-generator generates for Go: a typed call, a rejected one, and then every valid vector.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"

	openapi "interop/generated"
)

const headerKey = "demo-header-key"

var (
	schemas = filepath.Join(os.Getenv("BDC_OPENAPI"), "schemas")
	sandbox = os.Getenv("BDC_SANDBOX")
	// The credentials and the business of the sandbox, which replace those of the vectors.
	own = object{"apikey": "demo-apikey", "appid": "demo-appid", "uid": "demo-business"}
	// The client sends the key only with operations that require it.
	keys = map[string]openapi.APIKey{"headerKey": {Key: headerKey}}
	ctx  = context.WithValue(context.Background(), openapi.ContextAPIKeys, keys)
)

type object = map[string]interface{}

type operation struct {
	Tag, Schema, Vectors, Effect string
	Asynchronous                 bool
}

type vector struct {
	Why   string
	Valid bool
	Body  object
}

type request struct {
	Operation string
	Body      interface{}
	Reasons   []struct{ Pointer, Rule, Expected, Got string }
}

func main() {
	log.SetFlags(0)
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: sandbox}}
	client := openapi.NewAPIClient(configuration)

	income := openapi.NewIncomeRecord()
	income.SetId("INV-1001")
	income.SetCurrency("ZAR")
	income.SetAmount("19.99") // a json.Number, which keeps every digit
	push := openapi.NewPushIncomeRequest("demo-apikey", "demo-appid", "demo-business", *income)
	reply, err := client.PushAPI.PushIncome(ctx).PushIncomeRequest(*push).Execute()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reply.Status, text(reply), text(ask(http.MethodGet, "/_sandbox/businesses/demo-business/records", nil)))

	push.SetUid("another-business")
	reply, err = client.PushAPI.PushIncome(ctx).PushIncomeRequest(*push).Execute()
	if err == nil || reply.StatusCode != http.StatusBadRequest {
		log.Fatalf("a push for an unknown business was not rejected: %v", reply)
	}
	// The reply does not contain the reason, but the log of the sandbox does.
	fmt.Println(reply.Status, lastRequest().Reasons)

	callAll(client)
}

// call invokes the method for an operation, which it finds by name, together with the request type.
func call(client *openapi.APIClient, name string, operation operation, body object) (*http.Response, error) {
	service := reflect.ValueOf(client).Elem().FieldByName(strings.Title(operation.Tag) + "API")
	builder := service.MethodByName(camel(name)).Call([]reflect.Value{reflect.ValueOf(ctx)})[0]
	with := builder.MethodByName(strings.TrimSuffix(operation.Schema, ".schema.json"))
	typed := reflect.New(with.Type().In(0))
	if err := json.Unmarshal(encode(body), typed.Interface()); err != nil {
		return nil, err
	}
	results := with.Call([]reflect.Value{typed.Elem()})[0].MethodByName("Execute").Call(nil)
	err, _ := results[1].Interface().(error)
	return results[0].Interface().(*http.Response), err
}

// callAll sends every valid vector of every operation, each to an empty sandbox, and prints the summary.
func callAll(client *openapi.APIClient) {
	var index struct{ Operations map[string]operation }
	decode(read("index.json"), &index)
	var settled interface{}
	for _, vector := range vectors(index.Operations["push_settlement"]) {
		if vector.Why == "every field" {
			settled = vector.Body["data"]
		}
	}
	sent, problems := 0, 0
	for _, name := range sorted(index.Operations) {
		operation := index.Operations[name]
		for _, vector := range vectors(operation) {
			ask(http.MethodPost, "/_sandbox/reset", nil)
			data := vector.Body["data"]
			if name == "push_settlement_file" {
				const upload = "pull_storage_upload_url"
				vector.Body["data"].(object)["url"] = putFile(client, upload, index.Operations[upload], settled)
				data = settled
			}
			problem := ""
			if _, err := call(client, name, operation, vector.Body); err != nil {
				problem = fmt.Sprint(err, lastRequest().Reasons)
			} else if last := lastRequest(); last.Operation != name || !same(last.Body, vector.Body, asDoubles) {
				problem = fmt.Sprint("arrived as ", last.Operation, last.Body)
			} else if records := records(); operation.Asynchronous && operation.Effect == "write" && !held(records, data) {
				problem = fmt.Sprint("recorded as ", records)
			}
			if problem == "" {
				sent++
				continue
			}
			problems++
			log.Printf("%s: %s: %s: %s", operation.Vectors, vector.Why, encode(vector.Body), problem)
		}
	}
	if problems > 0 {
		log.Fatalf("%d bodies did not arrive as sent: check the generated types and the options in interop.toml.", problems)
	}
	fmt.Printf("%d of %[1]d operations, %d bodies as sent\n", len(index.Operations), sent)
}

// vectors returns the valid vectors of an operation, with the credentials and the business of the sandbox.
func vectors(operation operation) (valid []vector) {
	// The body of an invalid vector need not be an object.
	var all []struct {
		vector
		Body json.RawMessage
	}
	decode(read(operation.Vectors), &all)
	for _, one := range all {
		if one.Valid {
			decode(bytes.NewReader(one.Body), &one.vector.Body)
			for name := range own {
				if _, named := one.vector.Body[name]; named {
					one.vector.Body[name] = own[name]
				}
			}
			valid = append(valid, one.vector)
		}
	}
	return valid
}

// putFile uploads a settlement file to the URL that the service provides, the only one that it accepts.
func putFile(client *openapi.APIClient, name string, operation operation, entries interface{}) string {
	reply, err := call(client, name, operation, own)
	if err != nil {
		log.Fatal(name, ": ", err, lastRequest().Reasons)
	}
	var given struct{ URL string }
	decode(reply.Body, &given)
	ask(http.MethodPut, strings.TrimPrefix(given.URL, sandbox), bytes.NewReader(encode(entries)))
	return given.URL
}

func lastRequest() (last request) {
	var requests []request
	decode(ask(http.MethodGet, "/_sandbox/requests", nil).Body, &requests)
	if len(requests) > 0 {
		last = requests[len(requests)-1]
	}
	return last
}

func records() (data []interface{}) {
	var records []struct{ Data interface{} }
	decode(ask(http.MethodGet, "/_sandbox/businesses/demo-business/records", nil).Body, &records)
	for _, record := range records {
		data = append(data, record.Data)
	}
	return data
}

// held reports whether the records match data: itself, its items if it is a list, or the items of its lists.
func held(records []interface{}, data interface{}) bool {
	var items []interface{}
	switch data := data.(type) {
	case []interface{}:
		items = data
	case object:
		for _, name := range sorted(data) {
			list, _ := data[name].([]interface{})
			items = append(items, list...)
		}
	}
	return same(records, []interface{}{data}, exactly) || same(records, items, exactly)
}

// The log of the sandbox contains numbers as doubles; its records keep every digit.
func asDoubles(arrived, meant json.Number) bool {
	a, _ := arrived.Float64()
	m, _ := meant.Float64()
	return a == m
}

func exactly(arrived, meant json.Number) bool {
	a, ok := new(big.Rat).SetString(string(arrived))
	m, _ := new(big.Rat).SetString(string(meant))
	return ok && a.Cmp(m) == 0
}

// same reports whether two values are equal as far as the sandbox shows them: it hides secrets and unknown names.
func same(arrived, meant interface{}, number func(arrived, meant json.Number) bool) bool {
	if arrived == "[hidden]" {
		return true
	}
	switch meant := meant.(type) {
	case object:
		arrived, ok := arrived.(object)
		if !ok || !reflect.DeepEqual(sorted(arrived), sorted(meant)) {
			return false
		}
		for name := range meant {
			if !same(arrived[name], meant[name], number) {
				return false
			}
		}
		return true
	case []interface{}:
		arrived, ok := arrived.([]interface{})
		if !ok || len(arrived) != len(meant) {
			return false
		}
		for i := range meant {
			if !same(arrived[i], meant[i], number) {
				return false
			}
		}
		return true
	case json.Number:
		arrived, ok := arrived.(json.Number)
		return ok && number(arrived, meant)
	case string:
		before, _, _ := strings.Cut(meant, "?")
		return arrived == meant || arrived == before+"?[hidden]"
	default:
		return arrived == meant
	}
}

func ask(method, path string, body io.Reader) *http.Response {
	request, err := http.NewRequest(method, sandbox+path, body)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	if reply.StatusCode >= 300 {
		log.Fatal(method, path, reply.Status)
	}
	return reply
}

func read(file string) io.Reader {
	content, err := os.ReadFile(filepath.Join(schemas, file))
	if err != nil {
		log.Fatal(err)
	}
	return bytes.NewReader(content)
}

// decode parses JSON, and keeps every digit of a number.
func decode(from io.Reader, into interface{}) {
	decoder := json.NewDecoder(from)
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		log.Fatal(err)
	}
}

func encode(value interface{}) []byte {
	encoded, err := json.Marshal(value)
	if err != nil {
		log.Fatal(err)
	}
	return encoded
}

func text(reply *http.Response) string {
	content, err := io.ReadAll(reply.Body)
	if err != nil {
		log.Fatal(err)
	}
	return string(content)
}

func camel(name string) string {
	return strings.ReplaceAll(strings.Title(strings.ReplaceAll(name, "_", " ")), " ", "")
}

func sorted[Value any](members map[string]Value) (names []string) {
	for name := range members {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
