package main

import (
	"context"

	relation "git.example/relation-chain/gen/go"
	"google.golang.org/grpc"
)

// channel is the installed client in the form in which Tests/Contract/go/run.go uses one: its unary
// calls are streams of one message.
type channel struct{ *relation.Client }

func dial(address string) (channel, error) {
	// Cases look at the first answer.
	once := relation.RetryPolicy{Attempts: 1}
	client, err := relation.Dial(address, relation.Options{Retries: once})
	return channel{client}, err
}

func (channel channel) NewStream(
	ctx context.Context, shape *grpc.StreamDesc, method string, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	if shape.ClientStreams || shape.ServerStreams {
		return channel.Client.NewStream(ctx, shape, method, options...)
	}
	return &unary{client: channel.Client, ctx: ctx, method: method}, nil
}

type unary struct {
	grpc.ClientStream
	client  *relation.Client
	ctx     context.Context
	method  string
	request interface{}
}

func (call *unary) SendMsg(request interface{}) error {
	call.request = request
	return nil
}

func (call *unary) CloseSend() error { return nil }

func (call *unary) RecvMsg(answer interface{}) error {
	return call.client.Invoke(call.ctx, call.method, call.request, answer)
}
