// Adds a friend, lists two, and follows changes over broken streams: faults ADDRESS
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	relation "git.example/relation-chain/gen/go"
	relationv1 "git.example/relation-chain/gen/go/relation/v1"
)

func main() {
	number := 0
	credential := func(ctx context.Context) (string, error) {
		number++
		return relation.APIKey(fmt.Sprint(number))(ctx)
	}
	client, err := relation.Dial(os.Args[1], relation.Options{Credential: credential, App: 7})
	if err != nil {
		log.Fatal(err)
	}
	items := []*relationv1.AddFriend{{UserId: "bob"}}
	request := &relationv1.AddFriendsRequest{UserId: "ann", Items: items}
	answer, err := client.Friend.AddFriends(context.Background(), request)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("applied", answer.Applied)
	list := &relationv1.ListFriendsRequest{UserId: "ann"}
	pages := relation.Pages(context.Background(), client.Friend.ListFriends, list)
	for pages.Next() {
		fmt.Println(pages.Page().Friends[0].UserId)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	scope := &relationv1.WatchRequest{Scope: &relationv1.WatchRequest_UserId{UserId: "ann"}}
	changes := client.Changes(ctx, scope, relation.ChangesOptions{})
	for changes.Next() {
		fmt.Println(changes.Message().ResumeToken)
		if changes.Message().ResumeToken == "token-3" {
			return
		}
	}
	log.Fatal(changes.Err())
}
