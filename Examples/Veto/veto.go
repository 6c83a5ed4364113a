// A hook that refuses texts with the word "spam": go run veto.go 8080
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
)

func veto(response http.ResponseWriter, request *http.Request) {
	var asked struct{ Data struct{ Items []struct{ Texts map[string]string } } }
	if err := json.NewDecoder(request.Body).Decode(&asked); err != nil {
		http.Error(response, "no question", http.StatusBadRequest)
		return
	}
	refused := []map[string]any{}
	for index, item := range asked.Data.Items {
		for _, text := range item.Texts {
			if strings.Contains(text, "spam") {
				refused = append(refused, map[string]any{"index": index, "code": 38001, "info": "no spam"})
				break
			}
		}
	}
	json.NewEncoder(response).Encode(map[string]any{"items": refused})
}

func main() {
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], http.HandlerFunc(veto)))
}
