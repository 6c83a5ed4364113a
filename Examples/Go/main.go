// A first story with the relation-chain service: friends, a refusal, a block, and a change.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	relation "git.example/relation-chain/gen/go/relation/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
)

const (
	anna, ben, carl = "example-anna", "example-ben", "example-carl"
	unknown        = "example-unknown" // An id that is not an account.
	done            = relation.FriendStatus_FRIEND_STATUS_SUCC
	pending         = relation.FriendStatus_FRIEND_STATUS_PENDING
	already         = relation.Reason_REASON_SNS_FRIEND_ADD_FRIEND_EXIST
)

// must ends the program where a program of yours returns the error.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// An import leaves accounts that exist as they are, so it may be repeated.
func makeAccounts(ctx context.Context, accounts relation.AccountServiceClient) {
	stream := must(accounts.ImportAccounts(ctx))
	for _, user := range []string{anna, ben, carl} {
		// A long import sends in a goroutine of its own. The error of a failed Send comes from Recv.
		stream.Send(&relation.ImportAccountsRequest{Row: &relation.AccountRow{UserId: user}})
	}
	stream.CloseSend()
	existed, last := 0, &relation.ImportProgress{}
	for {
		answer, err := stream.Recv()
		if err == io.EOF {
			break
		}
		if progress := must(answer, err).GetProgress(); progress != nil {
			last = progress
		} else if answer.GetRow().Reason == relation.Reason_REASON_EXISTED {
			existed++ // A row has an answer only if it was refused or has something to say.
		}
	}
	fmt.Printf("accounts: %d taken, %d existed, %d refused\n", last.Accepted, existed, last.Refused)
}

// The call answers OK, and each user has a result code of its own.
func addFriends(ctx context.Context, friends relation.FriendServiceClient) {
	request := &relation.AddFriendsRequest{UserId: anna}
	for _, user := range []string{ben, carl, unknown} {
		request.Items = append(request.Items, &relation.AddFriend{UserId: user, Source: "Web"})
	}
	for _, result := range must(friends.AddFriends(ctx, request)).Results {
		words := result.GetCode().String()
		if result.GetCode() == done {
			words = "a friend now"
		} else if result.GetCode() == pending {
			words = "asked, and waits for an answer"
		} else if result.Reason == already {
			words = "a friend already"
		}
		fmt.Printf("add %s: %s\n", result.UserId, words)
	}
}

// Only a missing token ends a list: a page may be shorter than was asked.
func listFriends(ctx context.Context, friends relation.FriendServiceClient) {
	request := &relation.ListFriendsRequest{UserId: anna, PageSize: 1}
	for {
		page := must(friends.ListFriends(ctx, request))
		fmt.Print("page:")
		for _, friend := range page.Friends {
			fmt.Print(" ", friend.UserId)
		}
		fmt.Println()
		if request.PageToken = page.NextPageToken; request.PageToken == "" {
			return
		}
	}
}

func checkRelations(ctx context.Context, friends relation.FriendServiceClient) {
	request := &relation.GetRelationsRequest{UserId: anna, UserIds: []string{ben, unknown}}
	for _, card := range must(friends.GetRelations(ctx, request)).Results {
		var name fmt.Stringer = card.GetCode()
		if card.GetCode() == done {
			name = card.GetRelation()
		}
		fmt.Printf("check %s: %s\n", card.UserId, name)
	}
}

// A call that fails as a whole says why in google.rpc.Status, which its trailers carry.
func readRefusal(ctx context.Context, friends relation.FriendServiceClient) {
	_, err := friends.ListFriends(ctx, &relation.ListFriendsRequest{UserId: unknown})
	for _, detail := range status.Convert(err).Details() {
		if info, is := detail.(*errdetails.ErrorInfo); is {
			fmt.Println("refused:", info.Reason)
			return
		}
	}
	log.Fatal(err) // The service did not refuse it: the network failed, for example.
}

// Reads a stream of changes up to the first message that is the right one.
func watch(ctx context.Context, changes relation.ChangeServiceClient,
	request *relation.WatchRequest, right func(*relation.WatchResponse) bool,
) *relation.WatchResponse {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream := must(changes.Watch(ctx, request))
	for {
		if message := must(stream.Recv()); right(message) {
			return message
		}
	}
}

// Takes the place that Anna's changes have come to, blocks Carl, and goes on from there.
func blockAndWatch(ctx context.Context, blacklist relation.BlacklistServiceClient,
	changes relation.ChangeServiceClient,
) {
	kinds := []relation.ChangeKind{relation.ChangeKind_CHANGE_KIND_ADD_BLACKLIST}
	scope := &relation.WatchRequest_UserId{UserId: anna}
	request := &relation.WatchRequest{Scope: scope, Kinds: kinds}
	// A stream without a token begins with the present state; the first token comes at its end.
	hasToken := func(message *relation.WatchResponse) bool { return message.ResumeToken != "" }
	request.ResumeToken = watch(ctx, changes, request, hasToken).ResumeToken
	block := &relation.AddToBlacklistRequest{UserId: anna, UserIds: []string{carl}}
	for _, result := range must(blacklist.AddToBlacklist(ctx, block)).Results {
		fmt.Printf("block %s: %s\n", result.UserId, result.GetCode())
	}
	// No change between the two streams is missed. Keep the last token of every stream.
	hasEvent := func(message *relation.WatchResponse) bool { return message.Event != nil }
	event := watch(ctx, changes, request, hasEvent).Event
	fmt.Print("event: ", event.Kind)
	for _, item := range event.Items {
		fmt.Print(" ", item.UserId)
	}
	fmt.Println()
}

func main() {
	address := "127.0.0.1:7450"
	if variable := os.Getenv("RELATION_SERVER"); variable != "" {
		address = variable
	}
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	log.SetFlags(0)
	log.SetPrefix(address + ": ")
	connection := must(grpc.Dial(address, grpc.WithInsecure()))
	defer connection.Close()
	// Every call has a deadline: gRPC sets none by itself. Here all calls share one.
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()

	makeAccounts(ctx, relation.NewAccountServiceClient(connection))
	// An earlier run has blocked Carl, and a user on the blacklist cannot be added.
	blacklist := relation.NewBlacklistServiceClient(connection)
	unblock := &relation.RemoveFromBlacklistRequest{UserId: anna, UserIds: []string{carl}}
	must(blacklist.RemoveFromBlacklist(ctx, unblock))
	friends := relation.NewFriendServiceClient(connection)
	addFriends(ctx, friends)
	listFriends(ctx, friends)
	checkRelations(ctx, friends)
	readRefusal(ctx, friends)
	blockAndWatch(ctx, blacklist, relation.NewChangeServiceClient(connection))
}
