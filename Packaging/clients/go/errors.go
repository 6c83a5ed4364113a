package relation

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	relationv1 "git.example/relation-chain/gen/go/relation/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
)

const domain = "relation.v1"

// Error is a call that failed as a whole. The outcome of an item is in the answer, not here.
type Error struct {
	Code    codes.Code
	Message string
	// Reason is a text such as USER_NOT_FOUND; empty if the service gave none.
	Reason string
	// Metadata of the reason, such as limit and actual.
	Metadata map[string]string
	// Fields has each invalid field of the request.
	Fields []InvalidField
	// RetryAfter is the time after which the server asks to try again, or nil.
	RetryAfter *time.Duration
	// Attempts is how often the call was made.
	Attempts int

	status *status.Status
}

// InvalidField is a field of a request, with its rule.
type InvalidField struct{ Field, Rule string }

// ReasonOf is the reason of an error of this package, or empty.
func ReasonOf(err error) string {
	var failed *Error
	if errors.As(err, &failed) {
		return failed.Reason
	}
	return ""
}

func (err *Error) Error() string {
	text := err.Code.String()
	if err.Reason != "" {
		text += " (" + err.Reason + ")"
	}
	text += ": " + err.Message
	if err.Attempts > 1 {
		text += fmt.Sprintf(" (after %d attempts)", err.Attempts)
	}
	return text
}

// GRPCStatus lets status.Code and status.Convert read the error.
func (err *Error) GRPCStatus() *status.Status { return err.status }

// ErrorReason is the reason as the contract's enum; UNSPECIFIED if it is newer than this package.
func (err *Error) ErrorReason() relationv1.ErrorReason {
	return relationv1.ErrorReason(relationv1.ErrorReason_value["ERROR_REASON_"+err.Reason])
}

// MayBeRepeated says whether the same call may succeed later, if it does no harm to make it twice.
func (err *Error) MayBeRepeated() bool {
	switch err.Code {
	case codes.Unavailable:
		return err.Reason != "BEHIND"
	case codes.ResourceExhausted:
		return err.RetryAfter != nil
	}
	return err.Reason == "OUTCOME_UNKNOWN" || err.Reason == "CONFLICT"
}

// endsAStreamOnly says whether another stream of changes may go on after the one that ended so.
func (err *Error) endsAStreamOnly() bool {
	switch err.Code {
	case codes.Unavailable, codes.Aborted, codes.Canceled, codes.DeadlineExceeded,
		codes.ResourceExhausted:
		return err.Reason != "READER_FENCED"
	case codes.Unknown, codes.Internal:
		return err.Reason == ""
	}
	return false
}

func errorOrEnd(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return errorOf(err, 1)
}

// errorOf reads the details of an error of gRPC.
func errorOf(err error, attempts int) *Error {
	var failed *Error
	if errors.As(err, &failed) {
		return failed
	}
	received := status.Convert(err)
	made := &Error{
		Code: received.Code(), Message: received.Message(), Metadata: map[string]string{},
		Attempts: attempts, status: received,
	}
	for _, detail := range received.Proto().GetDetails() {
		switch detail.TypeUrl[strings.LastIndex(detail.TypeUrl, ".")+1:] {
		case "ErrorInfo":
			made.readInfo(detail.Value)
		case "BadRequest":
			each(detail.Value, func(_ protowire.Number, _ uint64, violation []byte) {
				made.Fields = append(made.Fields, InvalidField{text(violation, 1), text(violation, 2)})
			})
		case "RetryInfo":
			var wait time.Duration
			each(detail.Value, func(_ protowire.Number, _ uint64, delay []byte) {
				each(delay, func(part protowire.Number, number uint64, _ []byte) {
					unit := map[protowire.Number]time.Duration{1: time.Second, 2: 1}[part]
					wait += time.Duration(number) * unit
				})
			})
			made.RetryAfter = &wait
		}
	}
	return made
}

func (err *Error) readInfo(info []byte) {
	if text(info, 2) != domain {
		return
	}
	err.Reason = text(info, 1)
	each(info, func(part protowire.Number, _ uint64, entry []byte) {
		if part == 3 {
			err.Metadata[text(entry, 1)] = text(entry, 2)
		}
	})
}

// text is a field of an encoded message.
func text(message []byte, number protowire.Number) (found string) {
	each(message, func(part protowire.Number, _ uint64, value []byte) {
		if part == number {
			found = string(value)
		}
	})
	return found
}

// each tells the fields of an encoded message: numbers, and what has a length.
func each(message []byte, tell func(protowire.Number, uint64, []byte)) {
	for len(message) > 0 {
		number, kind, length := protowire.ConsumeField(message)
		if length < 0 {
			return
		}
		_, _, tag := protowire.ConsumeTag(message)
		value := message[tag:length]
		switch kind {
		case protowire.VarintType:
			varint, _ := protowire.ConsumeVarint(value)
			tell(number, varint, nil)
		case protowire.BytesType:
			bytes, _ := protowire.ConsumeBytes(value)
			tell(number, 0, bytes)
		}
		message = message[length:]
	}
}
