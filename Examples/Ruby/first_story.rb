#!/usr/bin/env ruby
# A first story with the relation-chain service: friends, a refusal, a block, and a change.

$LOAD_PATH.unshift(File.join(__dir__, "generated"))
require "google/protobuf/well_known_types"
require "google/rpc/error_details_pb"
require "relation/v1/account_services_pb"
require "relation/v1/blacklist_services_pb"
require "relation/v1/change_services_pb"
require "relation/v1/friend_services_pb"

V1 = Relation::V1
ANNA, BEN, CARL = "example-anna", "example-ben", "example-carl"
UNKNOWN = "example-unknown" # An id that is not an account.

# An import leaves accounts that exist as they are, so it may be repeated.
def make_accounts(accounts)
  rows = [ANNA, BEN, CARL].map { |user| V1::AccountRow.new(user_id: user) }
  requests = rows.map { |row| V1::ImportAccountsRequest.new(row: row) }
  # A row has an answer only if it was refused or has something to say.
  rows, progress = accounts.import_accounts(requests).partition(&:row)
  existed = rows.count { |answer| answer.row.reason == :REASON_EXISTED }
  last = progress.last.progress
  puts "accounts: #{last.accepted} taken, #{existed} existed, #{last.refused} refused"
end

# The call answers OK, and each user has a result code of its own.
def add_friends(friends)
  items = [BEN, CARL, UNKNOWN].map { |user| V1::AddFriend.new(user_id: user, source: "Web") }
  request = V1::AddFriendsRequest.new(user_id: ANNA, items: items)
  friends.add_friends(request).results.each do |result|
    words =
      case [result.code, result.reason]
      in :FRIEND_STATUS_SUCC, _ then "a friend now"
      in :FRIEND_STATUS_PENDING, _ then "asked, and waits for an answer"
      in _, :REASON_SNS_FRIEND_ADD_FRIEND_EXIST then "a friend already"
      else result.code
      end
    puts "add #{result.user_id}: #{words}"
  end
end

# Only a missing token ends a list: a page may be shorter than was asked.
def list_friends(friends)
  request = V1::ListFriendsRequest.new(user_id: ANNA, page_size: 1)
  loop do
    page = friends.list_friends(request)
    puts "page: #{page.friends.map(&:user_id).join(" ")}"
    break if page.next_page_token.empty?

    request.page_token = page.next_page_token
  end
end

def check_relations(friends)
  request = V1::GetRelationsRequest.new(user_id: ANNA, user_ids: [BEN, UNKNOWN])
  friends.get_relations(request).results.each do |card|
    puts "check #{card.user_id}: #{card.code == :FRIEND_STATUS_SUCC ? card.relation : card.code}"
  end
end

# A call that fails as a whole says why in google.rpc.Status, which its trailers carry.
def read_refusal(friends)
  friends.list_friends(V1::ListFriendsRequest.new(user_id: UNKNOWN))
rescue GRPC::BadStatus => error
  info = error.to_rpc_status&.details&.find { |detail| detail.is(Google::Rpc::ErrorInfo) }
  raise unless info # The service did not refuse it: the network failed, for example.

  puts "refused: #{info.unpack(Google::Rpc::ErrorInfo).reason}"
end

# Reads a stream of changes up to the first message for which the block is true.
def watch(changes, request, &right)
  call = changes.watch(request, return_op: true)
  call.execute.find(&right)
ensure
  call.cancel
end

# Takes the place that Anna's changes have come to, blocks Carl, and goes on from there.
def block_and_watch(blacklist, changes)
  request = V1::WatchRequest.new(user_id: ANNA, kinds: [:CHANGE_KIND_ADD_BLACKLIST])
  # A stream without a token begins with the present state; the first token comes at its end.
  last = watch(changes, request) { |message| !message.resume_token.empty? }
  request.resume_token = last.resume_token
  block = V1::AddToBlacklistRequest.new(user_id: ANNA, user_ids: [CARL])
  blacklist.add_to_blacklist(block).results.each do |result|
    puts "block #{result.user_id}: #{result.code}"
  end
  # No change between the two streams is missed. Keep the last token of every stream.
  event = watch(changes, request, &:event).event
  puts "event: #{event.kind} #{event.items.map(&:user_id).join(" ")}"
end

# Every call has a deadline: gRPC sets none by itself.
def client(service, address)
  service::Stub.new(address, :this_channel_is_insecure, timeout: 10)
end

address = ARGV.first || ENV.fetch("RELATION_SERVER", "127.0.0.1:7450")
begin
  make_accounts(client(V1::AccountService, address))
  # An earlier run has blocked Carl, and a user on the blacklist cannot be added.
  blacklist = client(V1::BlacklistService, address)
  unblock = V1::RemoveFromBlacklistRequest.new(user_id: ANNA, user_ids: [CARL])
  blacklist.remove_from_blacklist(unblock)
  friends = client(V1::FriendService, address)
  add_friends(friends)
  list_friends(friends)
  check_relations(friends)
  read_refusal(friends)
  block_and_watch(blacklist, client(V1::ChangeService, address))
rescue GRPC::BadStatus => error
  abort "#{address}: #{error.details}"
end
