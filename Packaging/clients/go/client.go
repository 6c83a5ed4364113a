// Package relation is a client of the relation-chain service: an address, a credential, deadlines,
// retries under request ids, pages, changes over lost streams, and errors by reason.
package relation

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// DefaultTimeout is the deadline of a call whose context has none.
const DefaultTimeout = 30 * time.Second

// Options of a client; each has its default if it is left out.
type Options struct {
	// Credential is asked for the text of `authorization` before each attempt.
	Credential func(context.Context) (string, error)
	// App is the number of the app in which a key acts.
	App int32
	// TLS has authorities and certificates, in place of those of the system.
	TLS *tls.Config
	// Timeout is the deadline of a call whose context has none. Streams have none by themselves.
	Timeout time.Duration
	// Retries of one attempt make no call again, and add no request ids.
	Retries RetryPolicy
	// Dial has further options of the connection.
	Dial []grpc.DialOption
}

// APIKey is the credential of a back end or of an operator.
func APIKey(key string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return "Bearer " + key, nil }
}

// UserSig is the credential of a user's device, which the app signs.
func UserSig(signature string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return "UserSig " + signature, nil }
}

// Client has the services as its fields, and is a connection for clients that are made of it. It
// may be used by many goroutines.
type Client struct {
	Services
	connection *grpc.ClientConn
	options    Options
}

// Dial makes a client, and connects with its first call. The address is https://HOST:PORT or
// http://HOST:PORT. Without a scheme it is TLS, unless the host is this machine.
func Dial(address string, options Options) (*Client, error) {
	target := strings.TrimSuffix(address, "/")
	target = target[strings.LastIndex(target, "/")+1:]
	isPlain := strings.HasPrefix(address, "http://")
	if !strings.Contains(address, "://") {
		for _, host := range []string{"127.", "localhost:", "[::1]:"} {
			isPlain = isPlain || strings.HasPrefix(address, host)
		}
	}
	security := grpc.WithInsecure()
	if !isPlain {
		security = grpc.WithTransportCredentials(credentials.NewTLS(options.TLS))
	}
	agent := grpc.WithUserAgent("relation-client-go/" + Version)
	dial := append([]grpc.DialOption{security, agent}, options.Dial...)
	connection, err := grpc.Dial(target, dial...)
	if err != nil {
		return nil, err
	}
	if options.Timeout == 0 {
		options.Timeout = DefaultTimeout
	}
	options.Retries = options.Retries.withDefaults()
	client := &Client{connection: connection, options: options}
	client.Services = servicesOf(client)
	return client, nil
}

// Close ends the connection. Calls that are open fail with CANCELLED.
func (client *Client) Close() error { return client.connection.Close() }

// Invoke makes a call, again after errors that pass, until its deadline.
func (client *Client) Invoke(
	ctx context.Context, method string, request, answer interface{}, options ...grpc.CallOption,
) error {
	if _, has := ctx.Deadline(); !has {
		limited, cancel := context.WithTimeout(ctx, client.options.Timeout)
		defer cancel()
		ctx = limited
	}
	policy := client.options.Retries
	if writes[method] && policy.Attempts > 1 {
		request = withRequestID(request)
	}
	for attempts, mayRenew := 1, true; ; attempts++ {
		headed, err := client.headed(ctx)
		if err == nil {
			err = client.connection.Invoke(headed, method, request, answer, options...)
		}
		if err == nil {
			return nil
		}
		failed := errorOf(err, attempts)
		if failed.Code == codes.Unauthenticated && client.options.Credential != nil && mayRenew {
			mayRenew = false
			continue
		}
		if !failed.MayBeRepeated() || attempts >= policy.Attempts {
			return failed
		}
		wait := policy.wait(attempts, failed.RetryAfter)
		if deadline, _ := ctx.Deadline(); time.Now().Add(wait).After(deadline) {
			return failed
		}
		if !sleep(ctx, wait) {
			return failed
		}
	}
}

// NewStream opens a stream, which is not repeated.
func (client *Client) NewStream(
	ctx context.Context, shape *grpc.StreamDesc, method string, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	headed, err := client.headed(ctx)
	if err != nil {
		return nil, errorOf(err, 1)
	}
	stream, err := client.connection.NewStream(headed, shape, method, options...)
	if err != nil {
		return nil, errorOf(err, 1)
	}
	return toldStream{stream}, nil
}

// headed adds the client's metadata, unless the caller has set the same.
func (client *Client) headed(ctx context.Context) (context.Context, error) {
	own, _ := metadata.FromOutgoingContext(ctx)
	if client.options.App != 0 && len(own.Get("x-app-id")) == 0 {
		number := strconv.Itoa(int(client.options.App))
		ctx = metadata.AppendToOutgoingContext(ctx, "x-app-id", number)
	}
	if client.options.Credential != nil && len(own.Get("authorization")) == 0 {
		text, err := client.options.Credential(ctx)
		if err != nil {
			return nil, err
		}
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", text)
	}
	return ctx, nil
}

// withRequestID is the request under an id of its own, unless it has one or is only tried.
func withRequestID(request interface{}) interface{} {
	message, is := request.(proto.Message)
	if !is {
		return request
	}
	copied := proto.Clone(message)
	field := copied.ProtoReflect().Descriptor().Fields().ByName("options")
	options := copied.ProtoReflect().Mutable(field).Message()
	fields := options.Descriptor().Fields()
	id, dryRun := fields.ByName("request_id"), fields.ByName("dry_run")
	if options.Get(id).String() != "" || options.Get(dryRun).Bool() {
		return request
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return request
	}
	options.Set(id, protoreflect.ValueOfString(hex.EncodeToString(random)))
	return copied
}

// toldStream tells errors by their reasons.
type toldStream struct{ grpc.ClientStream }

func (stream toldStream) RecvMsg(message interface{}) error {
	return errorOrEnd(stream.ClientStream.RecvMsg(message))
}
