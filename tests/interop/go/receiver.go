package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

func receive(reply http.ResponseWriter, request *http.Request) {
	// As raw JSON, so that every digit of an amount is kept.
	var callback struct{ Response json.RawMessage }
	if err := json.NewDecoder(request.Body).Decode(&callback); err != nil {
		http.Error(reply, err.Error(), http.StatusBadRequest)
		return
	}
	// Store the callback here: what was answered with 200 is not sent again.
	reply.WriteHeader(http.StatusOK)
	var known struct{ Error, HardRefreshing bool }
	state := "done"
	// An error means that it is of no known shape.
	if err := json.Unmarshal(callback.Response, &known); err != nil {
		state = "unknown"
	} else if known.Error {
		state = "failed"
	} else if known.HardRefreshing {
		state = "interim"
	}
	fmt.Println(request.URL.Path, state, string(callback.Response))
}

func main() {
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], http.HandlerFunc(receive)))
}
