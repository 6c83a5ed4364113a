import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Tests of a client, each in an app of its own. */
@ExtendWith(FriendsTest.Relation.class)
class FriendsTest {
    /** Gives tests one server for the whole run, which ends with it. */
    static final class Relation implements ParameterResolver {
        /** What JUnit closes at the end of the run. */
        record Shared(RelationDemo demo) implements ExtensionContext.Store.CloseableResource {
            @Override
            public void close() throws IOException {
                demo.close();
            }
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == RelationDemo.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return context.getRoot().getStore(ExtensionContext.Namespace.GLOBAL)
                .getOrComputeIfAbsent(Shared.class, key -> start(), Shared.class).demo();
        }

        private static Shared start() {
            try {
                return new Shared(new RelationDemo());
            } catch (IOException error) {
                throw new IllegalStateException(error);
            }
        }
    }

    private int app;

    @BeforeEach
    void makeApp(RelationDemo relation) throws Exception {
        app = relation.newApp();
    }

    @Test
    void friendsAreListed(RelationDemo relation) throws Exception {
        relation.call(app, "FriendService/AddFriends",
            "{\"userId\":\"ann\",\"items\":[{\"userId\":\"bob\",\"source\":\"Web\"}]}", "");
        String friends = relation.call(
            app, "FriendService/ListFriends", "{\"userId\":\"bob\"}", "");
        assertTrue(friends.contains("\"userId\":\"ann\""), friends);
    }

    @Test
    void anOverloadedServerIsAnError(RelationDemo relation) {
        IOException error = assertThrows(IOException.class, () -> relation.call(
            app, "FriendService/ListFriends", "{\"userId\":\"ann\"}",
            "code=UNAVAILABLE; reason=OVERLOADED"));
        assertTrue(error.getMessage().contains("OVERLOADED"), error.getMessage());
    }

    @Test
    void aWeekPassesAtOnce(RelationDemo relation) throws Exception {
        relation.advance(Duration.ofDays(7));
    }
}
