package relation

import (
	"context"
	"io"
	"time"

	relationv1 "git.example/relation-chain/gen/go/relation/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

const (
	defaultHeartbeat = 25 * time.Second
	silentHeartbeats = 3
	leastSilence     = 10 * time.Second
)

// ChangesOptions say how changes are followed over lost streams.
type ChangesOptions struct {
	// Heartbeat is after how much silence the server sends a message without an event: 25 s.
	Heartbeat time.Duration
	// GivesUpAfter bounds how long it goes on without a message although it tries; 0 does not.
	GivesUpAfter time.Duration
	// OnLost is called for each stream that was lost.
	OnLost func(*Error)
}

// Changes follows changes, over lost streams too: a new one goes on with the last token.
type Changes struct {
	ctx      context.Context
	client   *Client
	request  *relationv1.WatchRequest
	options  ChangesOptions
	silence  time.Duration
	stream   relationv1.ChangeService_WatchClient
	cancel   context.CancelFunc
	message  *relationv1.WatchResponse
	failures int
	lostAt   time.Time
	err      error
}

// Changes begins to follow changes. Keep the resume token of the last message that you are done
// with, and a later run goes on there. It ends with the context, by a refusal of the service, or by
// GivesUpAfter. A reader that leaves the loop before cancels the context.
func (client *Client) Changes(
	ctx context.Context, request *relationv1.WatchRequest, options ChangesOptions,
) *Changes {
	asked := proto.Clone(request).(*relationv1.WatchRequest)
	if options.Heartbeat == 0 {
		options.Heartbeat = defaultHeartbeat
	}
	if asked.HeartbeatMs == 0 {
		asked.HeartbeatMs = options.Heartbeat.Milliseconds()
	}
	silence := silentHeartbeats * time.Duration(asked.HeartbeatMs) * time.Millisecond
	if silence < leastSilence {
		silence = leastSilence
	}
	return &Changes{
		ctx: ctx, client: client, request: asked, options: options, silence: silence,
		lostAt: time.Now(),
	}
}

// Next waits for the next message; false at the end.
func (changes *Changes) Next() bool {
	for changes.err == nil {
		message, err := changes.receive()
		if err == nil {
			changes.message, changes.failures = message, 0
			if message.ResumeToken != "" {
				changes.request.ResumeToken = message.ResumeToken
			}
			return true
		}
		changes.end()
		changes.err = changes.after(err)
	}
	return false
}

// Message is the message that Next has waited for.
func (changes *Changes) Message() *relationv1.WatchResponse { return changes.message }

// Err is the error that ended the changes: that of the context, or the last of a stream.
func (changes *Changes) Err() error { return changes.err }

func (changes *Changes) receive() (*relationv1.WatchResponse, error) {
	if changes.stream == nil {
		ctx, cancel := context.WithCancel(changes.ctx)
		changes.cancel = cancel
		stream, err := changes.client.Change.Watch(ctx, changes.request)
		if err != nil {
			return nil, err
		}
		changes.stream = stream
	}
	guard := time.AfterFunc(changes.silence, changes.cancel)
	defer guard.Stop()
	return changes.stream.Recv()
}

func (changes *Changes) end() {
	changes.cancel()
	changes.stream = nil
}

// after waits before the next stream, unless the changes are at their end.
func (changes *Changes) after(err error) error {
	if changes.ctx.Err() != nil {
		return changes.ctx.Err()
	}
	if err == io.EOF {
		err = status.Error(codes.Unavailable, "the stream ended")
	}
	failed := errorOf(err, 1)
	if !failed.endsAStreamOnly() {
		return failed
	}
	if token := failed.Metadata["resume_token"]; token != "" {
		changes.request.ResumeToken = token
	}
	if changes.failures == 0 {
		changes.lostAt = time.Now()
	}
	changes.failures++
	limit := changes.options.GivesUpAfter
	if limit != 0 && time.Since(changes.lostAt) >= limit {
		return failed
	}
	if changes.options.OnLost != nil {
		changes.options.OnLost(failed)
	}
	wait := changes.client.options.Retries.wait(changes.failures, failed.RetryAfter)
	if !sleep(changes.ctx, wait) {
		return changes.ctx.Err()
	}
	return nil
}
