// Runs cases against a server, with a client generated from proto/ alone: run ADDRESS FILE...
// A runner has few lines, so one line may hold a whole `if`, which gofmt would make three.
package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"

	_ "git.example/relation-chain/gen/go/relation/v1" // Registers the messages.
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
)

type (
	object = map[string]any
	file struct { Call string; Cases []testCase }
	testCase struct { Name string; Users, Unknown []string; App any; Steps []any }
	step struct {
		Call, Open, Stream, Send, HalfClose, Receive, Cancel, Decode, Bytes, Extra string
		Request               json.RawMessage
		Metadata              map[string]string
		TimeoutMs, RetryForMs time.Duration
		Answer, Error, End    any
		Skipping, Again       bool
	}
	stream struct { grpc.ClientStream; path string; cancel func() }
	// The names of variables are as a case has them, such as ${run}.
	run struct { channel grpc.ClientConnInterface; names map[string]string; streams map[string]stream }
)

const (
	createApp = `{"call": "AppService/CreateApp", "request": %s,
		"answer": {"$has": {"app": {"$has": {"appId": {"$save": "app"}}}}}}`
	deleteApp = `{"call": "AppService/DeleteApp", "request": {"appId": "${app}"}}`
	makeUser  = `{"call": "ProfileService/UpdateProfile", "answer": {"$has": {"applied": true}},
		"request": {"userId": "${%s}", "profile": {"gender": 0}, "updateMask": "gender"}}`
)

func must[T any](value T, err error) T { if err != nil { panic(err) }; return value }
func parse[T any](text string, into T) T { return must(into, json.Unmarshal([]byte(text), &into)) }
func encode(value any) string { return string(must(json.Marshal(value))) }
func quoted(text any) string { return strings.TrimSuffix(encode(fmt.Sprint(text))[1:], `"`) }
func (r run) set(name string, value any) { r.names["${"+name+"}"] = quoted(value) }

func newMessage(name string) proto.Message {
	url := "type.googleapis.com/relation.v1." + path.Base(name)
	return must(protoregistry.GlobalTypes.FindMessageByURL(url)).New().Interface()
}

// unroll writes out what JSON says to repeat. The last such place has no other within it.
func unroll(text string) string {
	start := strings.LastIndex(text, `{"$repeat":`)
	if start < 0 { return text }
	repeat := object{}
	must(0, json.NewDecoder(strings.NewReader(text[start:])).Decode(&repeat))
	part, copies := encode(repeat["$repeat"]), make([]string, int(repeat["times"].(float64)))
	first, inner, last := part[:1], part[1:len(part)-1], part[len(part)-1:]
	for i := range copies { copies[i] = strings.ReplaceAll(inner, "${index}", fmt.Sprint(i)) }
	made := first + strings.Join(copies, map[string]string{"[": ","}[first]) + last
	return unroll(text[:start] + made + text[start+len(encode(repeat)):])
}

// outcome is what a call answered, in the form in which a step expects it.
func outcome(answer proto.Message, err error) object {
	if err == nil { return object{"answer": parse(string(must(protojson.Marshal(answer))), any(nil))} }
	if err == io.EOF { return object{"end": true} }
	details, fields := object{"status": code.Code(status.Code(err)).String()}, []string{}
	for _, detail := range status.Convert(err).Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.Domain != "relation.v1" { continue }
			details["reason"] = detail.Reason
			if len(detail.Metadata) > 0 { details["metadata"] = detail.Metadata }
		case *errdetails.BadRequest:
			for _, one := range detail.FieldViolations { fields = append(fields, one.Field) }
			details["fields"] = fields
		case *errdetails.RetryInfo: details["retry"] = true
		}
	}
	return object{"error": parse(encode(details), any(nil))}
}

// members are those of an object, or the items of a list by their numbers.
func members(value any) object {
	made, _ := value.(object)
	list, isList := value.([]any)
	if isList { made = object{} }
	for index, item := range list { made[fmt.Sprint(index)] = item }
	return made
}

// differs is the first difference in words, or nothing. It saves the values that $save names.
func (r run) differs(at string, expected, came any) string {
	different := fmt.Sprintf("%s: expected %v, came %v", at, expected, came)
	kinds := object{"string": "string", "number": "float64", "object": "map[string]interface {}"}
	wanted, found, kind := members(expected), members(came), fmt.Sprintf("%T", came)
	if name, is := wanted["$save"].(string); is && came != nil { r.set(name, came); return "" }
	if name, is := wanted["$any"].(string); is && kinds[name] == kind { return "" }
	some, partly := wanted["$has"]
	if partly { expected, wanted = some, members(some) }
	if fmt.Sprintf("%T", expected) != kind || wanted == nil && expected != came { return different }
	if !partly && len(wanted) != len(found) { return different }
	anywhere := partly && kind == "[]interface {}"
	for key, item := range wanted {
		wrong := r.differs(at+"."+key, item, found[key])
		for _, one := range found { if anywhere && r.differs(at, item, one) == "" { wrong = "" } }
		if wrong != "" { return wrong }
	}
	return ""
}

// do does a step, and returns what came.
func (r run) do(s step) object {
	if s.Decode != "" {
		answer := newMessage(s.Decode)
		must(0, proto.Unmarshal(must(hex.DecodeString(s.Bytes)), answer))
		again := hex.EncodeToString(must(proto.Marshal(answer)))
		if s.Again && again != s.Bytes { return object{"error": "encoded again: " + again} }
		return outcome(answer, nil)
	}
	if path := s.Call + s.Open; path != "" {
		ctx, cancel := context.WithTimeout(context.Background(), s.TimeoutMs*time.Millisecond)
		ctx = metadata.NewOutgoingContext(ctx, metadata.New(s.Metadata))
		shape := &grpc.StreamDesc{ClientStreams: s.Request == nil, ServerStreams: s.Call == ""}
		opened, err := r.channel.NewStream(ctx, shape, "/relation.v1."+path)
		if err != nil { return outcome(nil, err) }
		r.streams[s.Stream] = stream{opened, path, cancel}
	}
	on := r.streams[s.Stream+s.Send+s.HalfClose+s.Receive+s.Cancel]
	if s.Request != nil {
		request := newMessage(on.path + "Request")
		err := protojson.Unmarshal(s.Request, request)
		if err != nil { return object{"error": err.Error()} }
		request.ProtoReflect().SetUnknown(must(hex.DecodeString(s.Extra)))
		on.SendMsg(request) // If that fails, the answer says why.
	}
	if s.HalfClose != "" || s.Request != nil && s.Send == "" { on.CloseSend() }
	if s.Cancel != "" { on.cancel() }
	if s.Call+s.Receive == "" { return object{} }
	answer := newMessage(on.path + "Response")
	return outcome(answer, on.RecvMsg(answer))
}

// steps does steps until one is not answered as expected, and returns what was wrong.
func (r run) steps(steps ...any) string {
	for number, raw := range steps {
		times, _ := raw.(object)["times"].(float64)
		for index := 0; index == 0 || index < int(times); index++ {
			r.set("index", index)
			pairs, s := []string{}, step{TimeoutMs: 20000, Metadata: map[string]string{}}
			for name, value := range r.names { pairs = append(pairs, name, value) }
			if app := r.names["${app}"]; app != "" { s.Metadata["x-app-id"] = app }
			s = parse(strings.NewReplacer(pairs...).Replace(encode(raw)), s)
			expected := object{"answer": s.Answer, "error": s.Error, "end": s.End}
			for key, value := range expected { if value == nil { delete(expected, key) } }
			for end := time.Now().Add(s.RetryForMs * time.Millisecond); ; {
				came := r.do(s)
				wrong := r.differs(fmt.Sprint("step ", number+1), expected, came)
				if wrong == "" { break }
				if time.Now().After(end) && !(s.Skipping && came["answer"] != nil) { return wrong }
			}
		}
	}
	return ""
}

func main() {
	channel, passed, failed := must(grpc.Dial(os.Args[1], grpc.WithInsecure())), 0, 0
	for _, path := range os.Args[2:] {
		read := parse(unroll(encode(parse(string(must(os.ReadFile(path))), any(nil)))), file{})
		for _, test := range read.Cases {
			mark, before := fmt.Sprintf("%x", time.Now().UnixNano()), []any{}
			r := run{channel, map[string]string{"${run}": mark}, map[string]stream{}}
			for _, name := range append(test.Users, test.Unknown...) { r.set(name, name+"-"+mark) }
			add := func(text string) { before = append(before, parse(text, object{})) }
			if test.App != nil { add(fmt.Sprintf(createApp, encode(test.App))) }
			for _, name := range test.Users { add(fmt.Sprintf(makeUser, name)) }
			wrong := r.steps(before...)
			if wrong == "" { wrong = r.steps(test.Steps...) }
			for _, open := range r.streams { open.cancel() }
			if test.App != nil { r.steps(parse(deleteApp, object{})) }
			if wrong != "" { fmt.Println(read.Call+":", test.Name+":", wrong); failed++ } else { passed++ }
		}
	}
	fmt.Printf("%d cases passed, %d failed\n", passed, failed)
	if passed == 0 || failed > 0 { os.Exit(1) }
}
