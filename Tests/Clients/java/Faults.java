import example.git.relation.v1.AddFriend;
import example.git.relation.v1.AddFriendsRequest;
import example.git.relation.v1.ListFriendsRequest;
import example.git.relation.v1.ListFriendsResponse;
import example.git.relation.v1.WatchRequest;
import example.git.relation.v1.client.Pages;
import example.git.relation.v1.client.RelationClient;
import java.util.concurrent.atomic.AtomicInteger;

/** Adds a friend, lists two, follows changes over broken streams: {@code java Faults ADDRESS}. */
final class Faults {
  public static void main(String[] arguments) throws Exception {
    var number = new AtomicInteger();
    try (var client = RelationClient.to(arguments[0])
        .credential(() -> "Bearer " + number.incrementAndGet()).app(7).open()) {
      var request = AddFriendsRequest.newBuilder().setUserId("ann")
          .addItems(AddFriend.newBuilder().setUserId("bob")).build();
      System.out.println("applied " + client.friend().addFriends(request).getApplied());
      var list = ListFriendsRequest.newBuilder().setUserId("ann").build();
      for (var friend : Pages.items(
          client.friend()::listFriends, list, ListFriendsResponse::getFriendsList))
        System.out.println(friend.getUserId());
      var watch = WatchRequest.newBuilder().setUserId("ann").build();
      try (var changes = client.changes(watch)) {
        for (var message : changes) {
          System.out.println(message.getResumeToken());
          if (message.getResumeToken().equals("token-3")) break;
        }
      }
    }
  }
}
