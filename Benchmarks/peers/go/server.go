// CheckFriends by grpc-go on one processor. It answers that each user of the request is a friend in
// both directions.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"runtime"

	"google.golang.org/grpc"

	v1 "git.example/relation-chain/gen/go/relation/v1"
)

type friends struct {
	v1.UnimplementedFriendServiceServer
}

func (friends) CheckFriends(
	_ context.Context, request *v1.CheckFriendsRequest,
) (*v1.CheckFriendsResponse, error) {
	response := &v1.CheckFriendsResponse{
		Results: make([]*v1.CheckFriendResult, 0, len(request.UserIds)),
	}
	for _, user := range request.UserIds {
		response.Results = append(response.Results, &v1.CheckFriendResult{
			UserId:   user,
			Code:     v1.FriendStatus_FRIEND_STATUS_SUCC.Enum(),
			Relation: v1.FriendRelation_FRIEND_RELATION_BOTH_WAY.Enum(),
		})
	}
	return response, nil
}

func main() {
	runtime.GOMAXPROCS(1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	v1.RegisterFriendServiceServer(server, friends{})
	fmt.Printf("listening on %s\n", listener.Addr())
	if err := server.Serve(listener); err != nil {
		log.Fatal(err)
	}
}
