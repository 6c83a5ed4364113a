// A server of gRPC's standard test service by its C++ library: prints its port, and ends with its
// standard input.

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "grpc/testing/test.grpc.pb.h"

using grpc::ServerContext;
using grpc::Status;
using grpc::StatusCode;
using namespace grpc::testing;

namespace {

const char kInitial[] = "x-grpc-test-echo-initial";
const char kTrailing[] = "x-grpc-test-echo-trailing-bin";

std::string Text(grpc::string_ref text) { return std::string(text.begin(), text.end()); }

void Echo(ServerContext* context) {
  auto& given = context->client_metadata();
  auto initial = given.find(kInitial);
  if (initial != given.end()) context->AddInitialMetadata(kInitial, Text(initial->second));
  auto trailing = given.find(kTrailing);
  if (trailing != given.end()) context->AddTrailingMetadata(kTrailing, Text(trailing->second));
}

Status Wanted(const EchoStatus& status) {
  return Status(static_cast<StatusCode>(status.code()), status.message());
}

// Sends what a request asks for; false if the client is gone.
template <typename Stream>
bool Answer(const StreamingOutputCallRequest& request, Stream* stream) {
  for (auto& wanted : request.response_parameters()) {
    if (wanted.interval_us() > 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(wanted.interval_us()));
    }
    StreamingOutputCallResponse response;
    response.mutable_payload()->set_body(std::string(wanted.size(), '\0'));
    grpc::WriteOptions options;
    if (!wanted.compressed().value()) options.set_no_compression();
    if (!stream->Write(response, options)) return false;
  }
  return true;
}

class Service final : public TestService::Service {
  Status EmptyCall(ServerContext* context, const Empty*, Empty*) override {
    Echo(context);
    return Status::OK;
  }

  Status UnaryCall(ServerContext* context, const SimpleRequest* request,
                   SimpleResponse* response) override {
    Echo(context);
    if (request->response_compressed().value()) {
      context->set_compression_algorithm(GRPC_COMPRESS_GZIP);
    }
    if (request->response_status().code() != 0) return Wanted(request->response_status());
    response->mutable_payload()->set_body(std::string(request->response_size(), '\0'));
    return Status::OK;
  }

  Status StreamingInputCall(ServerContext*, grpc::ServerReader<StreamingInputCallRequest>* reader,
                            StreamingInputCallResponse* response) override {
    StreamingInputCallRequest request;
    int total = 0;
    while (reader->Read(&request)) total += request.payload().body().size();
    response->set_aggregated_payload_size(total);
    return Status::OK;
  }

  Status StreamingOutputCall(ServerContext* context, const StreamingOutputCallRequest* request,
                             grpc::ServerWriter<StreamingOutputCallResponse>* writer) override {
    context->set_compression_algorithm(GRPC_COMPRESS_GZIP);
    Answer(*request, writer);
    return Status::OK;
  }

  using Duplex = grpc::ServerReaderWriter<StreamingOutputCallResponse, StreamingOutputCallRequest>;

  Status FullDuplexCall(ServerContext* context, Duplex* stream) override {
    Echo(context);
    StreamingOutputCallRequest request;
    while (stream->Read(&request)) {
      if (!Answer(request, stream)) break;
      if (request.response_status().code() != 0) return Wanted(request.response_status());
    }
    return Status::OK;
  }

  Status HalfDuplexCall(ServerContext*, Duplex* stream) override {
    std::vector<StreamingOutputCallRequest> requests;
    StreamingOutputCallRequest request;
    while (stream->Read(&request)) requests.push_back(request);
    for (auto& wanted : requests) Answer(wanted, stream);
    return Status::OK;
  }
};

}  // namespace

int main() {
  Service service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  auto server = builder.BuildAndStart();
  if (!server || port == 0) return 1;
  std::cout << port << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
  }
  server->Shutdown(std::chrono::system_clock::now());
  return 0;
}
