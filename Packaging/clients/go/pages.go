package relation

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Page is an answer that may not be the last of its list.
type Page interface{ GetNextPageToken() string }

// Pager goes through the pages of a list, which are asked for as they are needed.
type Pager[Request proto.Message, Answer Page] struct {
	ctx     context.Context
	call    func(context.Context, Request, ...grpc.CallOption) (Answer, error)
	request Request
	page    Answer
	isLast  bool
	err     error
}

// Pages begins with the page of the request's token. Only a missing token ends a list.
//
//	pages := relation.Pages(ctx, client.Friend.ListFriends, request)
//	for pages.Next() { use(pages.Page().Friends) }
//	return pages.Err()
func Pages[Request proto.Message, Answer Page](
	ctx context.Context, call func(context.Context, Request, ...grpc.CallOption) (Answer, error),
	request Request,
) *Pager[Request, Answer] {
	copied := proto.Clone(request).(Request)
	return &Pager[Request, Answer]{ctx: ctx, call: call, request: copied}
}

// Next asks for the next page; false at the end of the list, or after an error.
func (pager *Pager[Request, Answer]) Next() bool {
	if pager.isLast || pager.err != nil {
		return false
	}
	pager.page, pager.err = pager.call(pager.ctx, pager.request)
	if pager.err != nil {
		return false
	}
	token := pager.page.GetNextPageToken()
	message := pager.request.ProtoReflect()
	field := message.Descriptor().Fields().ByName("page_token")
	message.Set(field, protoreflect.ValueOfString(token))
	pager.isLast = token == ""
	return true
}

// Page is the page that Next has asked for.
func (pager *Pager[Request, Answer]) Page() Answer { return pager.page }

// Err is the error that ended the list, or nil.
func (pager *Pager[Request, Answer]) Err() error { return pager.err }
