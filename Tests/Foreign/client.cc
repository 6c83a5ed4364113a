// Runs gRPC's standard test cases by its C++ library: client PORT CASE, or "client list".

#include <grpcpp/grpcpp.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "grpc/testing/test.grpc.pb.h"

using grpc::ClientContext;
using grpc::Status;
using grpc::StatusCode;
using namespace grpc::testing;

namespace {

const std::vector<int> kUp = {27182, 8, 1828, 45904};
const std::vector<int> kDown = {31415, 9, 2653, 58979};
const char kInitial[] = "x-grpc-test-echo-initial";
const char kTrailing[] = "x-grpc-test-echo-trailing-bin";

struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void Expect(bool condition, const std::string& what) {
  if (!condition) throw Wrong(what);
}

void ExpectStatus(const Status& status, StatusCode code, const std::string& message = "") {
  Expect(status.error_code() == code,
         "status " + std::to_string(status.error_code()) + " " + status.error_message());
  if (!message.empty()) Expect(status.error_message() == message, status.error_message());
}

std::shared_ptr<grpc::Channel> Connect(const std::string& port) {
  grpc::ChannelArguments arguments;
  // Each channel with these arguments has a connection of its own.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel("127.0.0.1:" + port, grpc::InsecureChannelCredentials(),
                                   arguments);
}

struct Peer {
  std::string port;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<TestService::Stub> stub;

  explicit Peer(const std::string& port)
      : port(port), channel(Connect(port)), stub(TestService::NewStub(channel)) {}
};

// A context whose call is sure to end.
std::unique_ptr<ClientContext> Context(int seconds = 20) {
  auto context = std::make_unique<ClientContext>();
  context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(seconds));
  return context;
}

SimpleRequest Large() {
  SimpleRequest request;
  request.set_response_size(314159);
  request.mutable_payload()->set_body(std::string(271828, '\0'));
  return request;
}

void ExpectZeros(const Payload& payload, size_t size) {
  Expect(payload.body() == std::string(size, '\0'), "a wrong payload");
}

StreamingOutputCallRequest Output(const std::vector<int>& sizes, int up = 0) {
  StreamingOutputCallRequest request;
  for (int size : sizes) request.add_response_parameters()->set_size(size);
  if (up > 0) request.mutable_payload()->set_body(std::string(up, '\0'));
  return request;
}

template <typename Stream>
void ExpectSizes(Stream& stream, const std::vector<int>& sizes) {
  StreamingOutputCallResponse response;
  for (int size : sizes) {
    Expect(stream.Read(&response), "fewer answers than asked for");
    ExpectZeros(response.payload(), size);
  }
  Expect(!stream.Read(&response), "more answers than asked for");
}

void EmptyUnary(Peer& peer) {
  auto context = Context();
  Empty response;
  ExpectStatus(peer.stub->EmptyCall(context.get(), Empty(), &response), StatusCode::OK);
  Expect(response.ByteSizeLong() == 0, "the answer is not empty");
}

void LargeUnaryOn(TestService::Stub& stub) {
  auto context = Context();
  SimpleResponse response;
  ExpectStatus(stub.UnaryCall(context.get(), Large(), &response), StatusCode::OK);
  ExpectZeros(response.payload(), 314159);
}

void LargeUnary(Peer& peer) { LargeUnaryOn(*peer.stub); }

void ClientStreaming(Peer& peer) {
  auto context = Context();
  StreamingInputCallResponse response;
  auto writer = peer.stub->StreamingInputCall(context.get(), &response);
  for (int size : kUp) {
    StreamingInputCallRequest request;
    request.mutable_payload()->set_body(std::string(size, '\0'));
    Expect(writer->Write(request), "the stream broke");
  }
  writer->WritesDone();
  ExpectStatus(writer->Finish(), StatusCode::OK);
  Expect(response.aggregated_payload_size() == 74922, "a wrong sum");
}

void ServerStreaming(Peer& peer) {
  auto context = Context();
  auto reader = peer.stub->StreamingOutputCall(context.get(), Output(kDown));
  ExpectSizes(*reader, kDown);
  ExpectStatus(reader->Finish(), StatusCode::OK);
}

void PingPong(Peer& peer) {
  auto context = Context();
  auto stream = peer.stub->FullDuplexCall(context.get());
  StreamingOutputCallResponse response;
  for (size_t turn = 0; turn < kUp.size(); ++turn) {
    Expect(stream->Write(Output({kDown[turn]}, kUp[turn])), "the stream broke");
    Expect(stream->Read(&response), "no answer");
    ExpectZeros(response.payload(), kDown[turn]);
  }
  stream->WritesDone();
  Expect(!stream->Read(&response), "an answer beyond the last");
  ExpectStatus(stream->Finish(), StatusCode::OK);
}

void EmptyStream(Peer& peer) {
  auto context = Context();
  auto stream = peer.stub->FullDuplexCall(context.get());
  stream->WritesDone();
  ExpectSizes(*stream, {});
  ExpectStatus(stream->Finish(), StatusCode::OK);
}

void HalfDuplex(Peer& peer) {
  auto context = Context();
  auto stream = peer.stub->HalfDuplexCall(context.get());
  for (int size : kDown) Expect(stream->Write(Output({size})), "the stream broke");
  stream->WritesDone();
  ExpectSizes(*stream, kDown);
  ExpectStatus(stream->Finish(), StatusCode::OK);
}

void TimeoutOnSleepingServer(Peer& peer) {
  auto context = std::make_unique<ClientContext>();
  context->set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(1));
  auto stream = peer.stub->FullDuplexCall(context.get());
  StreamingOutputCallRequest request = Output({31415}, 27182);
  request.mutable_response_parameters(0)->set_interval_us(500000);
  stream->Write(request);
  ExpectStatus(stream->Finish(), StatusCode::DEADLINE_EXCEEDED);
}

void CancelAfterBegin(Peer& peer) {
  auto context = Context();
  StreamingInputCallResponse response;
  auto writer = peer.stub->StreamingInputCall(context.get(), &response);
  context->TryCancel();
  ExpectStatus(writer->Finish(), StatusCode::CANCELLED);
}

void CancelAfterFirstResponse(Peer& peer) {
  auto context = Context();
  auto stream = peer.stub->FullDuplexCall(context.get());
  StreamingOutputCallResponse response;
  Expect(stream->Write(Output({31415}, 27182)), "the stream broke");
  Expect(stream->Read(&response), "no answer");
  context->TryCancel();
  ExpectStatus(stream->Finish(), StatusCode::CANCELLED);
}

void EndsWith(Peer& peer, const std::string& message, bool also_duplex) {
  EchoStatus status;
  status.set_code(StatusCode::UNKNOWN);
  status.set_message(message);
  auto context = Context();
  SimpleRequest request;
  *request.mutable_response_status() = status;
  SimpleResponse response;
  ExpectStatus(peer.stub->UnaryCall(context.get(), request, &response), StatusCode::UNKNOWN,
               message);
  if (!also_duplex) return;
  auto other = Context();
  auto stream = peer.stub->FullDuplexCall(other.get());
  StreamingOutputCallRequest duplex;
  *duplex.mutable_response_status() = status;
  stream->Write(duplex);
  stream->WritesDone();
  StreamingOutputCallResponse none;
  Expect(!stream->Read(&none), "an answer beside the status");
  ExpectStatus(stream->Finish(), StatusCode::UNKNOWN, message);
}

void StatusCodeAndMessage(Peer& peer) { EndsWith(peer, "test status message", true); }

void SpecialStatusMessage(Peer& peer) {
  EndsWith(peer,
           "\t\ntest with whitespace\r\nand Unicode BMP \xE2\x98\xBA and non-BMP "
           "\xF0\x9F\x98\x88\t\n",
           false);
}

void ExpectEchoed(const ClientContext& context) {
  auto& head = context.GetServerInitialMetadata();
  auto initial = head.find(kInitial);
  Expect(initial != head.end() && initial->second == "test_initial_metadata_value", "no head");
  auto& last = context.GetServerTrailingMetadata();
  auto trailing = last.find(kTrailing);
  Expect(trailing != last.end() && trailing->second == "\xAB\xAB\xAB", "no trailers");
}

void CustomMetadata(Peer& peer) {
  auto unary = Context();
  auto duplex = Context();
  for (auto* context : {unary.get(), duplex.get()}) {
    context->AddMetadata(kInitial, "test_initial_metadata_value");
    context->AddMetadata(kTrailing, "\xAB\xAB\xAB");
  }
  SimpleResponse response;
  ExpectStatus(peer.stub->UnaryCall(unary.get(), Large(), &response), StatusCode::OK);
  ExpectEchoed(*unary);
  auto stream = peer.stub->FullDuplexCall(duplex.get());
  stream->Write(Output({314159}, 271828));
  stream->WritesDone();
  ExpectSizes(*stream, {314159});
  ExpectStatus(stream->Finish(), StatusCode::OK);
  ExpectEchoed(*duplex);
}

void UnimplementedMethod(Peer& peer) {
  auto context = Context();
  Empty response;
  ExpectStatus(peer.stub->UnimplementedCall(context.get(), Empty(), &response),
               StatusCode::UNIMPLEMENTED);
}

void UnimplementedServiceCase(Peer& peer) {
  auto context = Context();
  Empty response;
  auto stub = UnimplementedService::NewStub(peer.channel);
  ExpectStatus(stub->UnimplementedCall(context.get(), Empty(), &response),
               StatusCode::UNIMPLEMENTED);
}

// Reads only after all requests are sent, so that the server must wait.
void SlowConsumer(Peer& peer) {
  auto context = Context(60);
  auto reader = peer.stub->StreamingOutputCall(context.get(), Output(std::vector<int>(2000, 1030)));
  for (int turn = 0; turn < 20; ++turn) EmptyUnary(peer);
  ExpectSizes(*reader, std::vector<int>(2000, 1030));
  ExpectStatus(reader->Finish(), StatusCode::OK);
}

void RpcSoak(Peer& peer) {
  for (int turn = 0; turn < 20; ++turn) LargeUnary(peer);
}

void ChannelSoak(Peer& peer) {
  for (int turn = 0; turn < 10; ++turn) LargeUnaryOn(*TestService::NewStub(Connect(peer.port)));
}

void ClientCompressedUnary(Peer& peer) {
  SimpleRequest request = Large();
  request.mutable_expect_compressed()->set_value(true);
  SimpleResponse response;
  auto probe = Context();
  ExpectStatus(peer.stub->UnaryCall(probe.get(), request, &response),
               StatusCode::INVALID_ARGUMENT);
  for (auto algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    auto context = Context();
    context->set_compression_algorithm(algorithm);
    ExpectStatus(peer.stub->UnaryCall(context.get(), request, &response), StatusCode::OK);
    ExpectZeros(response.payload(), 314159);
  }
}

void ClientCompressedStreaming(Peer& peer) {
  auto context = Context();
  context->set_compression_algorithm(GRPC_COMPRESS_GZIP);
  StreamingInputCallResponse response;
  auto writer = peer.stub->StreamingInputCall(context.get(), &response);
  for (bool compressed : {true, false}) {
    StreamingInputCallRequest request;
    request.mutable_expect_compressed()->set_value(compressed);
    request.mutable_payload()->set_body(std::string(compressed ? 27182 : 45904, '\0'));
    grpc::WriteOptions options;
    if (!compressed) options.set_no_compression();
    Expect(writer->Write(request, options), "the stream broke");
  }
  writer->WritesDone();
  ExpectStatus(writer->Finish(), StatusCode::OK);
  Expect(response.aggregated_payload_size() == 73086, "a wrong sum");
}

void ServerCompressedUnary(Peer& peer) {
  for (bool compressed : {true, false}) {
    auto context = Context();
    SimpleRequest request = Large();
    request.mutable_response_compressed()->set_value(compressed);
    SimpleResponse response;
    ExpectStatus(peer.stub->UnaryCall(context.get(), request, &response), StatusCode::OK);
    ExpectZeros(response.payload(), 314159);
  }
}

void ServerCompressedStreaming(Peer& peer) {
  auto context = Context();
  StreamingOutputCallRequest request = Output({31415, 92653});
  request.mutable_response_parameters(0)->mutable_compressed()->set_value(true);
  request.mutable_response_parameters(1)->mutable_compressed()->set_value(false);
  auto reader = peer.stub->StreamingOutputCall(context.get(), request);
  ExpectSizes(*reader, {31415, 92653});
  ExpectStatus(reader->Finish(), StatusCode::OK);
}

const std::map<std::string, std::function<void(Peer&)>> kCases = {
    {"empty_unary", EmptyUnary},
    {"large_unary", LargeUnary},
    {"client_streaming", ClientStreaming},
    {"server_streaming", ServerStreaming},
    {"ping_pong", PingPong},
    {"empty_stream", EmptyStream},
    {"half_duplex", HalfDuplex},
    {"timeout_on_sleeping_server", TimeoutOnSleepingServer},
    {"cancel_after_begin", CancelAfterBegin},
    {"cancel_after_first_response", CancelAfterFirstResponse},
    {"status_code_and_message", StatusCodeAndMessage},
    {"special_status_message", SpecialStatusMessage},
    {"custom_metadata", CustomMetadata},
    {"unimplemented_method", UnimplementedMethod},
    {"unimplemented_service", UnimplementedServiceCase},
    {"slow_consumer", SlowConsumer},
    {"rpc_soak", RpcSoak},
    {"channel_soak", ChannelSoak},
    {"client_compressed_unary", ClientCompressedUnary},
    {"client_compressed_streaming", ClientCompressedStreaming},
    {"server_compressed_unary", ServerCompressedUnary},
    {"server_compressed_streaming", ServerCompressedStreaming},
};

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::string(words[1]) == "list") {
    for (auto& known : kCases) std::cout << known.first << "\n";
    return 0;
  }
  auto found = count == 3 ? kCases.find(words[2]) : kCases.end();
  if (found == kCases.end()) {
    std::cerr << "client PORT CASE, or client list\n";
    return 2;
  }
  try {
    Peer peer(words[1]);
    found->second(peer);
  } catch (const Wrong& wrong) {
    std::cerr << words[2] << ": " << wrong.what() << "\n";
    return 1;
  }
  return 0;
}
