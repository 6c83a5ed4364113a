// A first story with the relation-chain service: friends, a refusal, a block, and a change.

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>

#include "relation/v1/account.grpc.pb.h"
#include "relation/v1/blacklist.grpc.pb.h"
#include "relation/v1/change.grpc.pb.h"
#include "relation/v1/friend.grpc.pb.h"
#include "rpc_details.pb.h"

using namespace relation::v1;

const std::string anna = "example-anna", ben = "example-ben", carl = "example-carl";
const std::string unknown = "example-unknown";  // An id that is no account.
std::string address = "127.0.0.1:7450";

// Every call has a context of its own and a deadline: gRPC sets none by itself.
struct Context : grpc::ClientContext {
  Context() { set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10)); }
};

// Ends the program where a program of yours handles the error.
void check(const grpc::Status& status) {
  if (status.ok()) return;
  std::cerr << address << ": status " << status.error_code() << ": " << status.error_message()
            << std::endl;
  std::exit(1);
}

// An import leaves accounts that exist as they are, so it may be repeated.
void make_accounts(AccountService::Stub accounts) {
  Context context;
  auto stream = accounts.ImportAccounts(&context);
  for (const auto& user : {anna, ben, carl}) {
    ImportAccountsRequest request;
    request.mutable_row()->set_user_id(user);
    // A long import writes in a thread of its own. The error of a failed Write comes from Finish.
    stream->Write(request);
  }
  stream->WritesDone();
  int existed = 0;
  ImportProgress last;
  for (ImportAccountsResponse answer; stream->Read(&answer);) {
    // A row has an answer only if it was refused or has something to say.
    if (answer.has_progress()) last = answer.progress();
    if (answer.row().reason() == REASON_EXISTED) existed += 1;
  }
  check(stream->Finish());
  std::cout << "accounts: " << last.accepted() << " taken, " << existed << " existed, "
            << last.refused() << " refused" << std::endl;
}

// The call answers OK, and each user has a result code of its own.
void add_friends(FriendService::Stub& friends) {
  Context context;
  AddFriendsRequest request;
  request.set_user_id(anna);
  for (const auto& user : {ben, carl, unknown}) {
    auto* item = request.add_items();
    item->set_user_id(user);
    item->set_source("Web");
  }
  AddFriendsResponse answer;
  check(friends.AddFriends(&context, request, &answer));
  for (const auto& result : answer.results()) {
    std::string words = FriendStatus_Name(result.code());
    if (result.code() == FRIEND_STATUS_SUCC) words = "a friend now";
    if (result.code() == FRIEND_STATUS_PENDING) words = "asked, and waits for an answer";
    if (result.reason() == REASON_SNS_FRIEND_ADD_FRIEND_EXIST) words = "a friend already";
    std::cout << "add " << result.user_id() << ": " << words << std::endl;
  }
}

// Only a missing token ends a list: a page may be shorter than was asked.
void list_friends(FriendService::Stub& friends) {
  ListFriendsRequest request;
  request.set_user_id(anna);
  request.set_page_size(1);
  do {
    Context context;
    ListFriendsResponse page;
    check(friends.ListFriends(&context, request, &page));
    std::cout << "page:";
    for (const auto& row : page.friends()) std::cout << " " << row.user_id();
    std::cout << std::endl;
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
}

void check_relations(FriendService::Stub& friends) {
  Context context;
  GetRelationsRequest request;
  request.set_user_id(anna);
  for (const auto& user : {ben, unknown}) request.add_user_ids(user);
  GetRelationsResponse answer;
  check(friends.GetRelations(&context, request, &answer));
  for (const auto& card : answer.results()) {
    bool done = card.code() == FRIEND_STATUS_SUCC;
    std::cout << "check " << card.user_id() << ": "
              << (done ? FriendRelation_Name(card.relation()) : FriendStatus_Name(card.code()))
              << std::endl;
  }
}

// A call that fails as a whole says why in google.rpc.Status, which its trailers carry.
void read_refusal(FriendService::Stub& friends) {
  Context context;
  ListFriendsRequest request;
  request.set_user_id(unknown);
  ListFriendsResponse page;
  grpc::Status status = friends.ListFriends(&context, request, &page);
  google::rpc::Status details;
  google::rpc::ErrorInfo info;
  details.ParseFromString(status.error_details());
  for (const auto& detail : details.details()) {
    if (detail.UnpackTo(&info)) std::cout << "refused: " << info.reason() << std::endl;
  }
  // The service did not refuse it: the network failed, for example.
  if (info.reason().empty()) check(status);
}

// Reads a stream of changes up to the first message that is the right one.
WatchResponse watch(ChangeService::Stub& changes, const WatchRequest& request,
                    const std::function<bool(const WatchResponse&)>& is_right) {
  Context context;
  auto stream = changes.Watch(&context, request);
  WatchResponse message;
  while (stream->Read(&message)) {
    if (!is_right(message)) continue;
    context.TryCancel();
    stream->Finish();
    return message;
  }
  check(stream->Finish());
  return message;
}

// Takes the place that Anna's changes have come to, blocks Carl, and goes on from there.
void block_and_watch(BlacklistService::Stub& blacklist, ChangeService::Stub changes) {
  WatchRequest request;
  request.set_user_id(anna);
  request.add_kinds(CHANGE_KIND_ADD_BLACKLIST);
  // A stream without a token begins with the present state; the first token comes at its end.
  auto has_token = [](const WatchResponse& message) { return !message.resume_token().empty(); };
  request.set_resume_token(watch(changes, request, has_token).resume_token());
  Context context;
  AddToBlacklistRequest block;
  block.set_user_id(anna);
  block.add_user_ids(carl);
  AddToBlacklistResponse answer;
  check(blacklist.AddToBlacklist(&context, block, &answer));
  for (const auto& result : answer.results())
    std::cout << "block " << result.user_id() << ": " << FriendStatus_Name(result.code())
              << std::endl;
  // No change between the two streams is missed. Keep the last token of every stream.
  auto has_event = [](const WatchResponse& message) { return message.has_event(); };
  ChangeEvent event = watch(changes, request, has_event).event();
  std::cout << "event: " << ChangeKind_Name(event.kind());
  for (const auto& item : event.items()) std::cout << " " << item.user_id();
  std::cout << std::endl;
}

int main(int count, char** words) {
  if (const char* variable = std::getenv("RELATION_SERVER")) address = variable;
  if (count > 1) address = words[1];
  auto channel = grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
  make_accounts(AccountService::Stub(channel));
  // An earlier run has blocked Carl, and a user on the blacklist cannot be added.
  BlacklistService::Stub blacklist(channel);
  Context context;
  RemoveFromBlacklistRequest unblock;
  unblock.set_user_id(anna);
  unblock.add_user_ids(carl);
  RemoveFromBlacklistResponse unblocked;
  check(blacklist.RemoveFromBlacklist(&context, unblock, &unblocked));
  FriendService::Stub friends(channel);
  add_friends(friends);
  list_friends(friends);
  check_relations(friends);
  read_refusal(friends);
  block_and_watch(blacklist, ChangeService::Stub(channel));
}
