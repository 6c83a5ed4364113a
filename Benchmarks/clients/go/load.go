// A load by grpc-go's client: load -address HOST:PORT -file FILE -answers FILE …: see README.md.
//
// A call has what such clients send: a deadline of its own, a traceparent and a request id that no
// other call has, and the library's user-agent. The messages are made beforehand.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"log"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
)

const path = "/relation.v1.FriendService/CheckFriends"

// least is the number of calls that are measured at least: as many as are in flight may have been
// answered before.
const least = 1_000

// raw gives and takes the bytes of a message.
type raw struct{}

func (raw) Marshal(value interface{}) ([]byte, error) { return *value.(*[]byte), nil }
func (raw) Unmarshal(data []byte, value interface{}) error {
	*value.(*[]byte) = append([]byte(nil), data...)
	return nil
}
func (raw) Name() string   { return "proto" }
func (raw) String() string { return "proto" }

// messages reads a file of messages, each with gRPC's five bytes before it.
func messages(name string) (found [][]byte) {
	text, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	for len(text) > 0 {
		end := 5 + binary.BigEndian.Uint32(text[1:])
		found, text = append(found, text[5:end]), text[end:]
	}
	return found
}

var (
	address     = flag.String("address", "", "the server")
	file        = flag.String("file", "", "the requests")
	answers     = flag.String("answers", "", "the answers that they must have")
	connections = flag.Int("connections", 4, "connections")
	streams     = flag.Int("streams", 50, "calls in flight on each")
	warm        = flag.Float64("warm", 1, "seconds before it is measured")
	seconds     = flag.Float64("seconds", 2, "seconds that are measured")
	ca          = flag.String("ca", "", "the authority of the server's certificate; none is plain")
	head        = flag.String("head", "all", "none, deadline, or all that a call behind a mesh has")
	key         = flag.String("key", "", "the API key that each call shows")
	calls       int64
	failed      int64
)

// heads is the context of one call.
func heads(number int64) (context.Context, context.CancelFunc) {
	ctx, cancel := context.Background(), context.CancelFunc(func() {})
	if *head != "none" {
		// A deadline differs from call to call, as one does that a caller's caller has set.
		limit := 20*time.Second + time.Duration(number%1_000_000)*time.Microsecond
		ctx, cancel = context.WithTimeout(ctx, limit)
	}
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+*key)
	if *head == "all" {
		mixed := uint64(number) * 0x9e3779b97f4a7c15
		ctx = metadata.AppendToOutgoingContext(ctx,
			"traceparent", fmt.Sprintf("00-%016x%016x-%016x-00", mixed, ^mixed, mixed|1),
			"x-request-id", fmt.Sprintf("%016x", mixed))
	}
	return ctx, cancel
}

func work(connection *grpc.ClientConn, requests, wanted [][]byte, next *int64) {
	for {
		number := atomic.AddInt64(next, 1)
		index := int(number) % len(requests)
		ctx, cancel := heads(number)
		var answer []byte
		err := connection.Invoke(ctx, path, &requests[index], &answer, grpc.ForceCodec(raw{}))
		cancel()
		if err != nil || !bytes.Equal(answer, wanted[index]) {
			if atomic.AddInt64(&failed, 1) == 1 {
				log.Printf("a call failed: %v, %x for %x", err, answer, wanted[index])
			}
		}
		atomic.AddInt64(&calls, 1)
	}
}

func main() {
	flag.Parse()
	security := grpc.WithInsecure()
	if *ca != "" {
		trusted, err := credentials.NewClientTLSFromFile(*ca, "localhost")
		if err != nil {
			log.Fatal(err)
		}
		security = grpc.WithTransportCredentials(trusted)
	}
	requests, wanted := messages(*file), messages(*answers)
	var next int64
	var ready sync.WaitGroup
	for number := 0; number < *connections; number++ {
		connection, err := grpc.Dial(*address, security, grpc.WithBlock())
		if err != nil {
			log.Fatal(err)
		}
		ready.Add(1)
		go func() {
			for stream := 0; stream < *streams; stream++ {
				go work(connection, requests, wanted, &next)
			}
			ready.Done()
		}()
	}
	ready.Wait()
	for atomic.LoadInt64(&calls) == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(time.Duration(*warm * float64(time.Second)))
	fmt.Println("begin")
	begin, before := time.Now(), atomic.LoadInt64(&calls)
	time.Sleep(time.Duration(*seconds * float64(time.Second)))
	for atomic.LoadInt64(&calls) < before+least {
		time.Sleep(time.Millisecond)
	}
	made, taken := atomic.LoadInt64(&calls)-before, time.Since(begin).Seconds()
	fmt.Printf("{\"calls\": %d, \"seconds\": %f, \"failed\": %d}\n",
		made, taken, atomic.LoadInt64(&failed))
}
