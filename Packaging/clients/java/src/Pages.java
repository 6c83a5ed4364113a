package example.git.relation.v1.client;

import com.google.protobuf.Message;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.stream.StreamSupport;

/** The pages of a list, which are asked for as they are needed. */
public final class Pages {
  private Pages() {}

  /** Each page, from that of the request's token on: {@code of(friends::listFriends, request)}. */
  public static <Q extends Message, A extends Message> Iterable<A> of(
      Function<Q, A> call, Q request) {
    return () -> new Iterator<>() {
      private Message asked = request;

      @Override public boolean hasNext() { return asked != null; }

      @Override @SuppressWarnings("unchecked") public A next() {
        if (asked == null) throw new NoSuchElementException();
        A page = call.apply((Q) asked);
        var token = page.getField(page.getDescriptorForType().findFieldByName("next_page_token"));
        var field = asked.getDescriptorForType().findFieldByName("page_token");
        // Only a missing token ends a list.
        asked = "".equals(token) ? null : asked.toBuilder().setField(field, token).build();
        return page;
      }
    };
  }

  /** Each item of all pages: {@code items(friends::listFriends, request, A::getFriendsList)}. */
  public static <Q extends Message, A extends Message, I> Iterable<I> items(
      Function<Q, A> call, Q request, Function<A, ? extends Iterable<I>> items) {
    return () -> StreamSupport.stream(of(call, request).spliterator(), false)
        .flatMap(page -> StreamSupport.stream(items.apply(page).spliterator(), false)).iterator();
  }
}
