import example.git.relation.v1.AddFriend;
import example.git.relation.v1.AddFriendsRequest;
import example.git.relation.v1.WatchRequest;
import example.git.relation.v1.client.RelationClient;

/** Adds a friend, and follows changes over two broken streams: {@code java Faults ADDRESS}. */
final class Faults {
  public static void main(String[] arguments) throws Exception {
    try (var client = RelationClient.to(arguments[0]).open()) {
      var request = AddFriendsRequest.newBuilder().setUserId("ann")
          .addItems(AddFriend.newBuilder().setUserId("bob")).build();
      System.out.println("applied " + client.friend().addFriends(request).getApplied());
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
