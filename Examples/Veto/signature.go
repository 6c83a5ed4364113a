package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
)

// signed gives a handler the JSON of requests that are signed as Standard Webhooks says, and
// refuses others. SECRET is `whsec_` and the key in base64.
func signed[Content any](handle func(http.ResponseWriter, Content)) http.HandlerFunc {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("SECRET"), "whsec_"))
	return func(response http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		code := hmac.New(sha256.New, key)
		head := request.Header.Get("webhook-id") + "." + request.Header.Get("webhook-timestamp")
		code.Write(append([]byte(head+"."), body...))
		mine := "v1," + base64.StdEncoding.EncodeToString(code.Sum(nil))
		for _, given := range strings.Fields(request.Header.Get("webhook-signature")) {
			var content Content
			if hmac.Equal([]byte(given), []byte(mine)) && json.Unmarshal(body, &content) == nil {
				handle(response, content)
				return
			}
		}
		response.WriteHeader(http.StatusUnauthorized)
	}
}
