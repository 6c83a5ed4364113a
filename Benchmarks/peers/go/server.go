// CheckFriends by grpc-go on one processor. It answers that each user of the request is a friend in
// both directions. With -cert and -key, files in PEM, it speaks TLS.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"runtime"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

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
	certificate := flag.String("cert", "", "the certificate of the server")
	key := flag.String("key", "", "the key of the certificate")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	var options []grpc.ServerOption
	if *certificate != "" {
		security, err := credentials.NewServerTLSFromFile(*certificate, *key)
		if err != nil {
			log.Fatal(err)
		}
		options = append(options, grpc.Creds(security))
	}
	server := grpc.NewServer(options...)
	v1.RegisterFriendServiceServer(server, friends{})
	fmt.Printf("listening on %s\n", listener.Addr())
	if err := server.Serve(listener); err != nil {
		log.Fatal(err)
	}
}
