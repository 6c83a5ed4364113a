package example.git.relation.v1.client;

import example.git.relation.v1.WatchRequest;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import java.io.File;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * A client of the relation-chain service, for many threads.
 *
 * <p>{@code RelationClient.to("https://relation.example:7450").apiKey("…").app(2).open()}
 */
public final class RelationClient extends Services implements AutoCloseable {
  private static final Pattern LOOPBACK = Pattern.compile("(127\\.|localhost:|\\[::1\\]).*");

  private final ManagedChannel connection;
  private final Channel channel;
  private final ScheduledExecutorService timers;
  private final RetryPolicy policy;

  private RelationClient(Builder builder) throws SSLException {
    timers = Executors.newSingleThreadScheduledExecutor(task -> {
      var thread = new Thread(task, "relation-client");
      thread.setDaemon(true);
      return thread;
    });
    policy = builder.policy;
    connection = builder.connection();
    channel = ClientInterceptors.intercept(connection, new Calls(
        builder.credential, builder.app, builder.timeout, policy, timers));
  }

  /**
   * Begins a client. The address is {@code https://HOST:PORT} or {@code http://HOST:PORT}. Without
   * a scheme it is TLS, unless the host is this machine.
   */
  public static Builder to(String address) { return new Builder(address); }

  /** The channel of all calls, for stubs of another kind. */
  @Override public Channel channel() { return channel; }

  /** Follows changes, over lost streams too. */
  public Changes changes(WatchRequest request) {
    return new Changes(change(), request, policy, timers);
  }

  /** Ends the connection. Calls that are open fail. */
  @Override public void close() {
    connection.shutdownNow();
    timers.shutdownNow();
  }

  /** The parts of a client, each with its default. */
  public static final class Builder {
    private final String address;
    private Supplier<String> credential;
    private Integer app;
    private File authorities;
    private Duration timeout = Duration.ofSeconds(30);
    private RetryPolicy policy = RetryPolicy.DEFAULT;

    private Builder(String address) { this.address = address; }

    /** The credential of a back end or of an operator. */
    public Builder apiKey(String key) { return credential(() -> "Bearer " + key); }

    /** The credential of a user's device, which the app signs. */
    public Builder userSig(String signature) { return credential(() -> "UserSig " + signature); }

    /** A function that provides the text of {@code authorization} before each attempt. */
    public Builder credential(Supplier<String> credential) {
      this.credential = credential;
      return this;
    }

    /** The number of the app in which a key acts. */
    public Builder app(int app) {
      this.app = app;
      return this;
    }

    /** A file of authorities in PEM, in place of those of Java. */
    public Builder authorities(File pem) {
      authorities = pem;
      return this;
    }

    /** The deadline of a call that has none of its own; streams have none by themselves. */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    /** How calls are made again. */
    public Builder retries(RetryPolicy policy) {
      this.policy = policy;
      return this;
    }

    /** Makes the client, which connects with its first call. */
    public RelationClient open() throws SSLException { return new RelationClient(this); }

    private ManagedChannel connection() throws SSLException {
      boolean isPlain = address.startsWith("http://") || LOOPBACK.matcher(address).matches();
      String target = address.replaceFirst("^https?://", "").replaceFirst("/$", "");
      var builder = NettyChannelBuilder.forTarget(target).disableRetry()
          .userAgent("relation-client-java/" + VERSION);
      if (isPlain) return builder.usePlaintext().build();
      if (authorities == null) return builder.useTransportSecurity().build();
      var security = GrpcSslContexts.forClient().trustManager(authorities).build();
      return builder.sslContext(security).build();
    }
  }
}
