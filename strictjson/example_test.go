package strictjson_test

import (
	"fmt"

	"github.com/hmdsefi/faultline/strictjson"
)

func ExampleDocument_Decode() {
	var config struct {
		Name string   `json:"name"`
		Tags []string `json:"tags,omitempty"`
	}
	text := []byte("{\n  \"name\": \"a\",\n  \"tag\": []\n}")
	err := strictjson.Document{File: "config.json", Line: 1, Data: text}.Decode(&config)
	fmt.Println(err)
	// Output:
	// config.json:3: field tag: it is not part of the format; correct or remove it
}
