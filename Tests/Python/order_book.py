"""A back end that reads changes as a consumer, and enters each into a book: the file of its last
argument, a line for each event. A test kills it.

    python order_book.py ADDRESS CONSUMER STUBS BOOK

It has none of the project's modules: STUBS is the folder of the generated stubs.
"""

import sys
import time

import grpc

# Few, so that a kill often finds events that were entered and not acknowledged.
EVENTS_PER_ACKNOWLEDGEMENT = 7


def main(address, consumer, stubs, book):
    sys.path.insert(0, stubs)
    from relation.v1 import change_pb2, change_pb2_grpc

    def read(service):
        acquired = service.AcquireConsumer(
            change_pb2.AcquireConsumerRequest(consumer=consumer, take_over=True), timeout=20)
        reader = acquired.consumer.reader
        entered = 0
        stream = service.Watch(change_pb2.WatchRequest(
            app=True, heartbeat_ms=1_000,
            consumer=change_pb2.ConsumerReader(consumer=consumer, reader=reader)))
        for message in stream:
            event = message.event
            if event.kind == change_pb2.CHANGE_KIND_PROFILE_CHANGE:
                with open(book, "a") as lines:
                    lines.write(f"{reader} {event.user_id} {event.sequence}\n")
                entered += 1
            is_due = entered >= EVENTS_PER_ACKNOWLEDGEMENT or not message.HasField("event")
            if message.resume_token and is_due:
                entered = 0
                service.AcknowledgeChanges(change_pb2.AcknowledgeChangesRequest(
                    consumer=consumer, reader=reader, resume_token=message.resume_token),
                    timeout=20)  # fmt: skip

    while True:
        try:
            with grpc.insecure_channel(address) as channel:
                read(change_pb2_grpc.ChangeServiceStub(channel))
        except grpc.RpcError as error:
            # A reader that was fenced leaves the consumer to the other one for a moment.
            passing = grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.ABORTED
            if error.code() not in (*passing, grpc.StatusCode.DEADLINE_EXCEEDED):
                raise
            time.sleep(0.02)


if __name__ == "__main__":
    main(*sys.argv[1:])
