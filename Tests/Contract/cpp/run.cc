// Runs cases against a server, with a client generated from proto/ alone: run ADDRESS FILE...

#include <absl/status/status.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_replace.h>
#include <google/protobuf/util/json_util.h>
#include <grpcpp/grpcpp.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "relation/v1/change.grpc.pb.h"  // What gRPC's generated code needs comes with it.
#include "rpc_details.pb.h"

using namespace google::protobuf;
using nlohmann::json, std::string, std::to_string, std::chrono::milliseconds;
using Clock = std::chrono::system_clock;

// Writes out what JSON says to repeat. The last such place has no other within it.
string unroll(string text) {
  for (size_t at; (at = text.rfind("{\"$repeat\":")) != string::npos;) {
    json repeat;
    std::istringstream(text.substr(at)) >> repeat;
    string part = repeat["$repeat"].dump(), inner = part.substr(1, part.size() - 2), made;
    for (int index = 0; index < repeat["times"]; index++)
      made += (part[0] == '[' && index > 0 ? "," : "") +
              absl::StrReplaceAll(inner, {{"${index}", to_string(index)}});
    text.replace(at, repeat.dump().size(), part.front() + made + part.back());
  }
  return text;
}

std::unique_ptr<Message> new_message(const string& name) {
  const string full = "relation.v1." + name.substr(name.rfind('/') + 1);
  auto type = DescriptorPool::generated_pool()->FindMessageTypeByName(full);
  if (!type) throw std::out_of_range(full);
  return std::unique_ptr<Message>(MessageFactory::generated_factory()->GetPrototype(type)->New());
}

// What a call answered, in the form in which a step expects it.
json outcome(const Message& answer) {
  string text;
  util::MessageToJsonString(answer, &text);
  return {{"answer", json::parse(text)}};
}

json outcome(const grpc::Status& status) {
  if (status.ok()) return {{"end", true}};
  json error = {{"status", absl::StatusCodeToString(absl::StatusCode(status.error_code()))}};
  google::rpc::Status details;
  google::rpc::ErrorInfo info;
  google::rpc::BadRequest request;
  details.ParseFromString(status.error_details());
  for (const auto& detail : details.details()) {
    const bool ours = detail.UnpackTo(&info) && info.domain() == "relation.v1";
    if (ours) error["reason"] = info.reason();
    if (ours) for (const auto& [key, value] : info.metadata()) error["metadata"][key] = value;
    if (detail.UnpackTo(&request))
      for (const auto& one : request.field_violations()) error["fields"].push_back(one.field());
    if (detail.Is<google::rpc::RetryInfo>()) error["retry"] = true;
  }
  return {{"error", error}};
}

// A call of any shape. It sends bytes, since a case may append some that no message has.
struct Stream {
  string path;
  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientReaderWriter<grpc::ByteBuffer, Message>> call;

  json receive() {
    auto answer = new_message(path + "Response");
    return call->Read(answer.get()) ? outcome(*answer) : outcome(call->Finish());
  }
};

// One run of a case. Its variables are named as a case names them, such as `${run}`.
struct Run {
  std::shared_ptr<grpc::Channel> channel;
  std::map<string, string> variables;
  std::map<string, Stream> streams;

  // The first difference in words, or nothing. Saves the values that $save names.
  string differs(const json& expected, const json& came, const string& path) {
    const bool partly = expected.contains("$has");
    const json& wanted = partly ? expected["$has"] : expected;
    const string wrong = path + ": expected " + expected.dump() + ", came " + came.dump();
    if (expected.contains("$save") && !came.is_null()) {
      const string name = expected["$save"], text = came.dump();
      variables["${" + name + "}"] = came.is_string() ? text.substr(1, text.size() - 2) : text;
      return "";
    }
    if (expected.contains("$any")) return expected["$any"] == came.type_name() ? "" : wrong;
    if (!wanted.is_structured()) return wanted == came ? "" : wrong;
    if (wanted.type() != came.type() || (!partly && wanted.size() != came.size())) return wrong;
    for (const auto& [key, item] : wanted.items()) {
      string inner = wrong;
      if (came.is_object()) inner = differs(item, came.value(key, json()), path + "." + key);
      else if (!partly) inner = differs(item, came[std::stoul(key)], path + "[" + key + "]");
      else for (const json& one : came) if (differs(item, one, path).empty()) inner = "";
      if (!inner.empty()) return inner;
    }
    return "";
  }

  // Does a step, and returns what came.
  json act(const json& step) {
    if (step.contains("decode")) {
      auto message = new_message(step["decode"]);
      const string bytes = absl::HexStringToBytes(step["bytes"].get<string>());
      bool right = message->ParseFromString(bytes);
      if (step.contains("again")) right = right && message->SerializeAsString() == bytes;
      return right ? outcome(*message) : json{{"error", "other bytes"}};
    }
    string path = step.value("call", "") + step.value("open", ""), on;
    for (auto key : {"stream", "send", "halfClose", "receive", "cancel"}) on += step.value(key, "");
    if (!path.empty()) streams.erase(on);
    Stream& stream = streams[on];
    if (!path.empty()) {
      stream.path = "/relation.v1." + path;
      json metadata = step.value("metadata", json::object());
      if (variables.count("${app}")) metadata.emplace("x-app-id", variables["${app}"]);
      for (const auto& [key, value] : metadata.items()) stream.context.AddMetadata(key, value);
      stream.context.set_deadline(Clock::now() + milliseconds(step.value("timeoutMs", 20000)));
      using namespace grpc::internal;  // As generated code opens a stream.
      RpcMethod method(stream.path.c_str(), RpcMethod::BIDI_STREAMING);
      stream.call.reset(ClientReaderWriterFactory<grpc::ByteBuffer, Message>::Create(
          channel.get(), method, &stream.context));
    }
    if (step.contains("request")) {
      auto request = new_message(stream.path + "Request");
      auto status = util::JsonStringToMessage(step["request"].dump(), request.get());
      if (!status.ok()) return {{"error", status.ToString()}};
      const string extra = absl::HexStringToBytes(step.value("extra", ""));
      grpc::Slice bytes(request->SerializeAsString() + extra);
      stream.call->Write(grpc::ByteBuffer(&bytes, 1));
    }
    if (step.contains("request") ? !path.empty() : step.contains("halfClose"))
      stream.call->WritesDone();
    if (step.contains("cancel")) stream.context.TryCancel();
    if (!step.contains("call")) return step.contains("receive") ? stream.receive() : json::object();
    const json came = stream.receive(), end = came.contains("answer") ? stream.receive() : came;
    return end.contains("end") ? came : end;
  }

  // Does steps until one is not answered as expected, and returns what was wrong.
  string play(const json& steps) {
    for (size_t at = 0; at < steps.size(); at++) {
      for (int index = 0; index < steps[at].value("times", 1); index++) {
        variables["${index}"] = to_string(index);
        const json step = json::parse(absl::StrReplaceAll(steps[at].dump(), variables));
        json expected = json::object();
        for (auto key : {"answer", "error", "end"})
          if (step.contains(key)) expected[key] = step[key];
        const auto end = Clock::now() + milliseconds(step.value("retryForMs", 0));
        while (true) {
          const json came = act(step);
          const string wrong = differs(expected, came, "step " + to_string(at + 1));
          if (wrong.empty()) break;
          const bool passes = step.contains("skipping") && came.contains("answer");
          if (!passes && Clock::now() >= end) return wrong;
        }
      }
    }
    return "";
  }
};

int main(int count, char** words) {
  auto channel = grpc::CreateChannel(words[1], grpc::InsecureChannelCredentials());
  int passed = 0, failed = 0;
  for (int at = 2; at < count; at++) {
    const json file = json::parse(unroll(json::parse(std::ifstream(words[at])).dump()));
    for (const json& test : file["cases"]) {
      const string mark = to_string(Clock::now().time_since_epoch() / std::chrono::microseconds(1));
      Run run{channel, {{"${run}", mark}}, {}};
      const json none = json::array(), users = test.value("users", none);
      for (const json& names : {users, test.value("unknown", none)})
        for (const string name : names) run.variables["${" + name + "}"] = name + "-" + mark;
      json before = none;
      if (test.contains("app"))
        before.push_back({{"call", "AppService/CreateApp"}, {"request", test["app"]},
            {"answer", R"({"$has": {"app": {"$has": {"appId": {"$save": "app"}}}}})"_json}});
      for (const string name : users)
        before.push_back({{"call", "ProfileService/UpdateProfile"}, {"request", {{"userId",
            "${" + name + "}"}, {"profile", {{"gender", 0}}}, {"updateMask", "gender"}}},
            {"answer", {{"$has", {{"applied", true}}}}}});
      string wrong = run.play(before);
      if (wrong.empty()) wrong = run.play(test["steps"]);
      if (test.contains("app"))
        run.play(R"([{"call": "AppService/DeleteApp", "request": {"appId": "${app}"}}])"_json);
      (wrong.empty() ? passed : failed)++;
      if (!wrong.empty())
        std::cout << string(file["call"]) + ": " + string(test["name"]) + ": " + wrong << std::endl;
    }
  }
  std::cout << passed << " cases passed, " << failed << " failed" << std::endl;
  return passed > 0 && failed == 0 ? 0 : 1;
}
