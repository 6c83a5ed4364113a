// A hook that refuses texts with the word "spam":
// go build -o veto veto.go signature.go && SECRET=whsec_… ./veto 8080
package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
)

type item struct{ Texts json.RawMessage }
type question struct{ Data struct{ Items []item } }

func main() {
	panic(http.ListenAndServe("127.0.0.1:"+os.Args[1], signed(func(w http.ResponseWriter, asked question) {
		refused := []map[string]any{}
		for index, item := range asked.Data.Items {
			if bytes.Contains(item.Texts, []byte("spam")) {
				refused = append(refused, map[string]any{"index": index, "code": 38001, "info": "no spam"})
			}
		}
		json.NewEncoder(w).Encode(map[string]any{"items": refused})
	})))
}
