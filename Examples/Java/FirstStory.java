import static java.util.concurrent.TimeUnit.SECONDS;

import com.google.common.base.Throwables;
import com.google.common.collect.Streams;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import example.git.relation.v1.*;
import example.git.relation.v1.AccountServiceGrpc.AccountServiceStub;
import example.git.relation.v1.BlacklistServiceGrpc.BlacklistServiceBlockingStub;
import example.git.relation.v1.ChangeServiceGrpc.ChangeServiceBlockingStub;
import example.git.relation.v1.FriendServiceGrpc.FriendServiceBlockingStub;
import io.grpc.Context;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;

/** A first story with the relation-chain service: friends, a refusal, a block, and a change. */
public final class FirstStory {
  private static final String ANNA = "example-anna", BEN = "example-ben", CARL = "example-carl";
  private static final String UNKNOWN = "example-unknown"; // An id that is not an account.

  /** An import leaves accounts that exist as they are, so it may be repeated. */
  private static void makeAccounts(AccountServiceStub accounts) {
    var answers = new ArrayList<ImportAccountsResponse>();
    var end = new CompletableFuture<Void>();
    // Java has no blocking form of a call whose client streams: gRPC's thread tells what comes.
    var requests = accounts.importAccounts(new StreamObserver<>() {
      @Override public void onNext(ImportAccountsResponse answer) {
        answers.add(answer);
      }

      @Override public void onError(Throwable error) {
        end.completeExceptionally(error);
      }

      @Override public void onCompleted() {
        end.complete(null);
      }
    });
    for (String user : List.of(ANNA, BEN, CARL)) {
      var row = AccountRow.newBuilder().setUserId(user);
      requests.onNext(ImportAccountsRequest.newBuilder().setRow(row).build());
    }
    requests.onCompleted();
    end.join();
    // A row has an answer only if it was refused or has something to say.
    long existed = answers.stream()
        .filter(answer -> answer.getRow().getReason() == Reason.REASON_EXISTED).count();
    ImportProgress last = answers.get(answers.size() - 1).getProgress();
    System.out.printf("accounts: %d taken, %d existed, %d refused%n",
        last.getAccepted(), existed, last.getRefused());
  }

  /** The call answers OK, and each user has a result code of its own. */
  private static void addFriends(FriendServiceBlockingStub friends) {
    var request = AddFriendsRequest.newBuilder().setUserId(ANNA);
    for (String user : List.of(BEN, CARL, UNKNOWN)) {
      request.addItems(AddFriend.newBuilder().setUserId(user).setSource("Web"));
    }
    for (FriendResult result : friends.addFriends(request.build()).getResultsList()) {
      String words = result.getCode().name();
      if (result.getCode() == FriendStatus.FRIEND_STATUS_SUCC) {
        words = "a friend now";
      } else if (result.getCode() == FriendStatus.FRIEND_STATUS_PENDING) {
        words = "asked, and waits for an answer";
      } else if (result.getReason() == Reason.REASON_SNS_FRIEND_ADD_FRIEND_EXIST) {
        words = "a friend already";
      }
      System.out.println("add " + result.getUserId() + ": " + words);
    }
  }

  /** Only a missing token ends a list: a page may be shorter than was asked. */
  private static void listFriends(FriendServiceBlockingStub friends) {
    var request = ListFriendsRequest.newBuilder().setUserId(ANNA).setPageSize(1);
    do {
      ListFriendsResponse page = friends.listFriends(request.build());
      System.out.print("page:");
      page.getFriendsList().forEach(friend -> System.out.print(" " + friend.getUserId()));
      System.out.println();
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
  }

  private static void checkRelations(FriendServiceBlockingStub friends) {
    var request = GetRelationsRequest.newBuilder().setUserId(ANNA).addUserIds(BEN)
        .addUserIds(UNKNOWN).build();
    for (var card : friends.getRelations(request).getResultsList()) {
      boolean done = card.getCode() == FriendStatus.FRIEND_STATUS_SUCC;
      System.out.println("check " + card.getUserId() + ": "
          + (done ? card.getRelation() : card.getCode()));
    }
  }

  /** A call that fails as a whole says why in google.rpc.Status, which its trailers carry. */
  private static void readRefusal(FriendServiceBlockingStub friends)
      throws InvalidProtocolBufferException {
    try {
      friends.listFriends(ListFriendsRequest.newBuilder().setUserId(UNKNOWN).build());
    } catch (StatusRuntimeException error) {
      for (Any detail : StatusProto.fromThrowable(error).getDetailsList()) {
        if (detail.is(ErrorInfo.class)) {
          System.out.println("refused: " + detail.unpack(ErrorInfo.class).getReason());
          return;
        }
      }
      throw error; // The service did not refuse it: the network failed, for example.
    }
  }

  /** Reads a stream of changes up to the first message that is the right one. */
  private static WatchResponse watch(ChangeServiceBlockingStub changes, WatchRequest request,
      Predicate<WatchResponse> right) throws Exception {
    try (var call = Context.current().withCancellation()) { // Its end cancels the call.
      return call.call(() ->
          Streams.stream(changes.watch(request)).filter(right).findFirst().orElseThrow());
    }
  }

  /** Takes the place that Anna's changes have come to, blocks Carl, and goes on from there. */
  private static void blockAndWatch(BlacklistServiceBlockingStub blacklist,
      ChangeServiceBlockingStub changes) throws Exception {
    var request = WatchRequest.newBuilder().setUserId(ANNA)
        .addKinds(ChangeKind.CHANGE_KIND_ADD_BLACKLIST);
    // A stream without a token begins with the present state; the first token comes at its end.
    var last = watch(changes, request.build(), message -> !message.getResumeToken().isEmpty());
    request.setResumeToken(last.getResumeToken());
    var block = AddToBlacklistRequest.newBuilder().setUserId(ANNA).addUserIds(CARL).build();
    for (var result : blacklist.addToBlacklist(block).getResultsList()) {
      System.out.println("block " + result.getUserId() + ": " + result.getCode());
    }
    // No change between the two streams is missed. Keep the last token of every stream.
    var event = watch(changes, request.build(), WatchResponse::hasEvent).getEvent();
    System.out.print("event: " + event.getKind());
    event.getItemsList().forEach(item -> System.out.print(" " + item.getUserId()));
    System.out.println();
  }

  public static void main(String[] arguments) throws Exception {
    String address = arguments.length > 0 ? arguments[0]
        : System.getenv().getOrDefault("RELATION_SERVER", "127.0.0.1:7450");
    var channel = ManagedChannelBuilder.forTarget(address).usePlaintext().build();
    // Every call has a deadline: gRPC sets none by itself. Here all calls of a stub share one.
    var accounts = AccountServiceGrpc.newStub(channel).withDeadlineAfter(10, SECONDS);
    var friends = FriendServiceGrpc.newBlockingStub(channel).withDeadlineAfter(10, SECONDS);
    var blacklist = BlacklistServiceGrpc.newBlockingStub(channel).withDeadlineAfter(10, SECONDS);
    var changes = ChangeServiceGrpc.newBlockingStub(channel).withDeadlineAfter(10, SECONDS);
    try {
      makeAccounts(accounts);
      // An earlier run has blocked Carl, and a user on the blacklist cannot be added.
      blacklist.removeFromBlacklist(RemoveFromBlacklistRequest.newBuilder().setUserId(ANNA)
          .addUserIds(CARL).build());
      addFriends(friends);
      listFriends(friends);
      checkRelations(friends);
      readRefusal(friends);
      blockAndWatch(blacklist, changes);
    } catch (StatusRuntimeException | CompletionException error) {
      System.err.println(address + ": " + Throwables.getRootCause(error).getMessage());
      System.exit(1);
    } finally {
      channel.shutdownNow();
    }
  }
}
