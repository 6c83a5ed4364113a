"""A first story with the relation-chain service: friends, a refusal, a block, and a change."""

import os
import sys

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from relation.v1 import account_pb2, account_pb2_grpc, blacklist_pb2, blacklist_pb2_grpc
from relation.v1 import change_pb2, change_pb2_grpc, common_pb2, friend_pb2, friend_pb2_grpc
from relation.v1 import reason_pb2

ANNA, BEN, CARL = "example-anna", "example-ben", "example-carl"
UNKNOWN = "example-unknown"  # An id that is not an account.
SECONDS = 10  # Every call has a deadline: gRPC sets none by itself.


def make_accounts(accounts):
    """An import leaves accounts that exist as they are, so it may be repeated."""
    rows = [account_pb2.AccountRow(user_id=user) for user in (ANNA, BEN, CARL)]
    requests = (account_pb2.ImportAccountsRequest(row=row) for row in rows)
    existed = 0
    for answer in accounts.ImportAccounts(requests, timeout=SECONDS):
        # A row has an answer only if it was refused or has something to say.
        if answer.WhichOneof("answer") == "row":
            existed += answer.row.reason == reason_pb2.REASON_EXISTED
        else:
            last = answer.progress
    print(f"accounts: {last.accepted} taken, {existed} existed, {last.refused} refused")


def add_friends(friends):
    """The call answers OK, and each user has a result code of its own."""
    items = [friend_pb2.AddFriend(user_id=user, source="Web") for user in (BEN, CARL, UNKNOWN)]
    request = friend_pb2.AddFriendsRequest(user_id=ANNA, items=items)
    for result in friends.AddFriends(request, timeout=SECONDS).results:
        if result.code == common_pb2.FRIEND_STATUS_SUCC:
            print(f"add {result.user_id}: a friend now")
        elif result.code == common_pb2.FRIEND_STATUS_PENDING:
            print(f"add {result.user_id}: asked, and waits for an answer")
        elif result.reason == reason_pb2.REASON_SNS_FRIEND_ADD_FRIEND_EXIST:
            print(f"add {result.user_id}: a friend already")
        else:
            print(f"add {result.user_id}: {common_pb2.FriendStatus.Name(result.code)}")


def list_friends(friends):
    """Only a missing token ends a list: a page may be shorter than was asked."""
    request = friend_pb2.ListFriendsRequest(user_id=ANNA, page_size=1)
    while True:
        page = friends.ListFriends(request, timeout=SECONDS)
        print("page:", *(friend.user_id for friend in page.friends))
        if not page.next_page_token:
            return
        request.page_token = page.next_page_token


def check_relations(friends):
    request = friend_pb2.GetRelationsRequest(user_id=ANNA, user_ids=[BEN, UNKNOWN])
    for card in friends.GetRelations(request, timeout=SECONDS).results:
        done = card.code == common_pb2.FRIEND_STATUS_SUCC
        name = common_pb2.FriendRelation.Name(card.relation)
        print(f"check {card.user_id}:", name if done else common_pb2.FriendStatus.Name(card.code))


def read_refusal(friends):
    """A call that fails as a whole says why in google.rpc.Status, which its trailers carry."""
    try:
        friends.ListFriends(friend_pb2.ListFriendsRequest(user_id=UNKNOWN), timeout=SECONDS)
    except grpc.RpcError as error:
        status, info = rpc_status.from_call(error), error_details_pb2.ErrorInfo()
        if not status or not any(detail.Unpack(info) for detail in status.details):
            raise  # The service did not refuse it: the network failed, for example.
        print(f"refused: {info.reason}")


def block_and_watch(blacklist, changes):
    """Takes the place that Anna's changes have come to, blocks Carl, and goes on from there."""
    request = change_pb2.WatchRequest(user_id=ANNA, kinds=[change_pb2.CHANGE_KIND_ADD_BLACKLIST])
    # A stream without a token begins with the present state; the first token comes at its end.
    stream = changes.Watch(request, timeout=SECONDS)
    request.resume_token = next(m.resume_token for m in stream if m.resume_token)
    stream.cancel()
    block = blacklist_pb2.AddToBlacklistRequest(user_id=ANNA, user_ids=[CARL])
    for result in blacklist.AddToBlacklist(block, timeout=SECONDS).results:
        print(f"block {result.user_id}: {common_pb2.FriendStatus.Name(result.code)}")
    # No change between the two streams is missed. Keep the last token of every stream.
    stream = changes.Watch(request, timeout=SECONDS)
    event = next(message.event for message in stream if message.HasField("event"))
    stream.cancel()
    print("event:", change_pb2.ChangeKind.Name(event.kind), *(i.user_id for i in event.items))


def main():
    address = (sys.argv[1:] or [os.environ.get("RELATION_SERVER", "127.0.0.1:7450")])[0]
    with grpc.insecure_channel(address) as channel:
        friends = friend_pb2_grpc.FriendServiceStub(channel)
        blacklist = blacklist_pb2_grpc.BlacklistServiceStub(channel)
        try:
            make_accounts(account_pb2_grpc.AccountServiceStub(channel))
            # An earlier run has blocked Carl, and a user on the blacklist cannot be added.
            unblock = blacklist_pb2.RemoveFromBlacklistRequest(user_id=ANNA, user_ids=[CARL])
            blacklist.RemoveFromBlacklist(unblock, timeout=SECONDS)
            add_friends(friends)
            list_friends(friends)
            check_relations(friends)
            read_refusal(friends)
            block_and_watch(blacklist, change_pb2_grpc.ChangeServiceStub(channel))
        except grpc.RpcError as error:
            sys.exit(f"{address}: {error.code().name}: {error.details()}")


if __name__ == "__main__":
    main()
