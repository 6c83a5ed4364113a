// CheckFriends by gRPC's C++ library, with its callback API or, with --queue, by one thread on a
// completion queue. It answers that each user of the request is a friend in both directions.

#include <grpcpp/grpcpp.h>
#include <signal.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

#include "relation/v1/friend.grpc.pb.h"

namespace {

using relation::v1::CheckFriendsRequest;
using relation::v1::CheckFriendsResponse;
using relation::v1::FriendService;

// Calls that wait for a request: more than any load has in flight on its connections.
constexpr int kWaiting = 512;

void Answer(const CheckFriendsRequest &request, CheckFriendsResponse *response) {
    for (const auto &user : request.user_ids()) {
        auto *result = response->add_results();
        result->set_user_id(user);
        result->set_code(relation::v1::FRIEND_STATUS_SUCC);
        result->set_relation(relation::v1::FRIEND_RELATION_BOTH_WAY);
    }
}

using Callbacks = FriendService::WithCallbackMethod_CheckFriends<FriendService::Service>;

class CallbackService final : public Callbacks {
  public:
    grpc::ServerUnaryReactor *CheckFriends(
        grpc::CallbackServerContext *context, const CheckFriendsRequest *request,
        CheckFriendsResponse *response) override {
        Answer(*request, response);
        auto *reactor = context->DefaultReactor();
        reactor->Finish(grpc::Status::OK);
        return reactor;
    }
};

using Asynchronous = FriendService::WithAsyncMethod_CheckFriends<FriendService::Service>;

// One call at a time: it waits for a request, answers it, and begins again.
class QueuedCall {
  public:
    QueuedCall(Asynchronous *service, grpc::ServerCompletionQueue *queue)
        : service_(service), queue_(queue) {
        Wait();
    }

    void Go() {
        if (is_answered_) {
            Wait();
            return;
        }
        is_answered_ = true;
        CheckFriendsResponse response;
        Answer(call_->request, &response);
        call_->writer.Finish(response, grpc::Status::OK, this);
    }

  private:
    struct Call {
        grpc::ServerContext context;
        CheckFriendsRequest request;
        grpc::ServerAsyncResponseWriter<CheckFriendsResponse> writer{&context};
    };

    void Wait() {
        is_answered_ = false;
        call_ = std::make_unique<Call>();
        service_->RequestCheckFriends(
            &call_->context, &call_->request, &call_->writer, queue_, queue_, this);
    }

    Asynchronous *service_;
    grpc::ServerCompletionQueue *queue_;
    std::unique_ptr<Call> call_;
    bool is_answered_ = false;
};

std::unique_ptr<grpc::Server> Start(grpc::ServerBuilder &builder, int &port) {
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    return builder.BuildAndStart();
}

void Tell(int port) {
    std::printf("listening on 127.0.0.1:%d\n", port);
    std::fflush(stdout);
}

int ServeCallbacks(const sigset_t &stop) {
    CallbackService service;
    grpc::ServerBuilder builder;
    builder.RegisterService(&service);
    int port = 0;
    auto server = Start(builder, port);
    if (!server) return 1;
    Tell(port);
    int signal = 0;
    sigwait(&stop, &signal);
    server->Shutdown(std::chrono::system_clock::now());
    return 0;
}

int ServeQueue(const sigset_t &stop) {
    Asynchronous service;
    grpc::ServerBuilder builder;
    builder.RegisterService(&service);
    auto queue = builder.AddCompletionQueue();
    int port = 0;
    auto server = Start(builder, port);
    if (!server) return 1;
    std::vector<std::unique_ptr<QueuedCall>> calls;
    for (int index = 0; index < kWaiting; index++) {
        calls.push_back(std::make_unique<QueuedCall>(&service, queue.get()));
    }
    Tell(port);
    std::thread waiting([&] {
        int signal = 0;
        sigwait(&stop, &signal);
        server->Shutdown(std::chrono::system_clock::now());
        queue->Shutdown();
    });
    void *tag = nullptr;
    bool is_good = false;
    while (queue->Next(&tag, &is_good)) {
        if (is_good) static_cast<QueuedCall *>(tag)->Go();
    }
    waiting.join();
    return 0;
}

}  // namespace

int main(int count, char **words) {
    // It is blocked before there are other threads, so that it waits for `sigwait`.
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &stop, nullptr);
    const bool has_queue = count > 1 && std::strcmp(words[1], "--queue") == 0;
    return has_queue ? ServeQueue(stop) : ServeCallbacks(stop);
}
