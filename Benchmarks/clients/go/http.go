// CheckFriends in JSON over HTTP by Go's net/http and encoding/json, on one processor. It answers
// that each user of the request is a friend in both directions.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"runtime"
)

type request struct {
	UserID  string   `json:"userId"`
	UserIDs []string `json:"userIds"`
}

type result struct {
	UserID   string `json:"userId"`
	Code     string `json:"code"`
	Relation string `json:"relation"`
}

type response struct {
	Results []result `json:"results"`
}

func check(writer http.ResponseWriter, read *http.Request) {
	var asked request
	if err := json.NewDecoder(read.Body).Decode(&asked); err != nil || asked.UserID == "" {
		http.Error(writer, "a request is malformed", http.StatusBadRequest)
		return
	}
	answer := response{Results: make([]result, 0, len(asked.UserIDs))}
	for _, user := range asked.UserIDs {
		answer.Results = append(answer.Results,
			result{user, "FRIEND_STATUS_SUCC", "FRIEND_RELATION_BOTH_WAY"})
	}
	text, err := json.Marshal(answer)
	if err != nil {
		log.Fatal(err)
	}
	writer.Header().Set("Content-Type", "application/json")
	writer.Write(text)
}

func main() {
	runtime.GOMAXPROCS(1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/relation.v1.FriendService/CheckFriends", check)
	fmt.Printf("listening on %s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}
