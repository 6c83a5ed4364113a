package example.git.relation.v1.client;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Gives each call its metadata and its deadline, and makes it again after errors that pass. */
final class Calls implements ClientInterceptor {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> APP =
      Metadata.Key.of("x-app-id", Metadata.ASCII_STRING_MARSHALLER);
  private static final SecureRandom CHANCE = new SecureRandom();

  private final Supplier<String> credential;
  private final Integer app;
  private final Duration timeout;
  private final RetryPolicy policy;
  private final ScheduledExecutorService timers;

  Calls(Supplier<String> credential, Integer app, Duration timeout, RetryPolicy policy,
      ScheduledExecutorService timers) {
    this.credential = credential;
    this.app = app;
    this.timeout = timeout;
    this.policy = policy;
    this.timers = timers;
  }

  @Override public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    boolean isUnary = method.getType() == MethodType.UNARY;
    if (isUnary && options.getDeadline() == null)
      options = options.withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS);
    if (isUnary) return new Repeated<>(method, options, next);
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override public void start(Listener<A> listener, Metadata headers) {
        super.start(listener, headed(headers));
      }
    };
  }

  /** Adds the client's metadata, unless the caller has set the same. */
  private Metadata headed(Metadata headers) {
    Metadata made = new Metadata();
    made.merge(headers);
    if (app != null && !made.containsKey(APP)) made.put(APP, app.toString());
    if (credential != null && !made.containsKey(AUTHORIZATION))
      made.put(AUTHORIZATION, credential.get());
    return made;
  }

  /** A write under an id of its own, unless it has one or is only tried. */
  @SuppressWarnings("unchecked")
  private static <Q> Q withRequestId(Q request) {
    if (!(request instanceof Message)) return request;
    var builder = ((Message) request).toBuilder();
    var field = builder.getDescriptorForType().findFieldByName("options");
    var options = ((Message) builder.getField(field)).toBuilder();
    var id = options.getDescriptorForType().findFieldByName("request_id");
    var dryRun = options.getDescriptorForType().findFieldByName("dry_run");
    if (!"".equals(options.getField(id)) || (boolean) options.getField(dryRun)) return request;
    byte[] random = new byte[16];
    CHANCE.nextBytes(random);
    var text = new StringBuilder();
    for (byte one : random) text.append(String.format("%02x", one));
    options.setField(id, text.toString());
    return (Q) builder.setField(field, options.build()).build();
  }

  /** A call of one request, which is sent again if its error passes. */
  private final class Repeated<Q, A> extends ClientCall<Q, A> {
    private final MethodDescriptor<Q, A> method;
    private final CallOptions options;
    private final Channel next;
    private Listener<A> listener;
    private Metadata headers;
    private Q request;
    private ClientCall<Q, A> attempt;
    private int attempts;
    private boolean mayRenew = credential != null;
    private boolean ended;

    Repeated(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      this.method = method;
      this.options = options;
      this.next = next;
    }

    @Override public void start(Listener<A> listener, Metadata headers) {
      this.listener = listener;
      this.headers = headers;
    }

    /** An answer is asked for with each attempt. */
    @Override public void request(int count) {}

    @Override public void sendMessage(Q message) {
      boolean needsId = policy.attempts > 1 && Services.WRITES.contains(method.getFullMethodName());
      request = needsId ? withRequestId(message) : message;
    }

    @Override public void halfClose() { attempt(); }

    @Override public void cancel(String words, Throwable cause) {
      ClientCall<Q, A> running;
      synchronized (this) {
        running = attempt;
      }
      if (running != null) running.cancel(words, cause);
      else end(Status.CANCELLED.withDescription(words).withCause(cause), new Metadata());
    }

    private void attempt() {
      var call = next.newCall(method, options);
      synchronized (this) {
        if (ended) return;
        attempt = call;
        attempts++;
      }
      call.start(new Heard(), headed(headers));
      call.request(2);
      call.sendMessage(request);
      call.halfClose();
    }

    private void end(Status status, Metadata trailers) {
      synchronized (this) {
        if (ended) return;
        ended = true;
      }
      listener.onClose(status, trailers);
    }

    /** Hears one attempt, and tells what came once no other one follows. */
    private final class Heard extends Listener<A> {
      private Metadata headers;
      private A answer;

      @Override public void onHeaders(Metadata headers) { this.headers = headers; }

      @Override public void onMessage(A message) { answer = message; }

      @Override public void onClose(Status status, Metadata trailers) {
        Long wait = status.isOk() ? null : wait(status, trailers);
        if (wait != null) {
          synchronized (Repeated.this) {
            attempt = null;
          }
          timers.schedule(Repeated.this::attempt, wait, TimeUnit.MILLISECONDS);
          return;
        }
        if (headers != null) listener.onHeaders(headers);
        if (answer != null) listener.onMessage(answer);
        end(status, trailers);
      }

      /** The milliseconds before another attempt, or null if there is none. */
      private Long wait(Status status, Metadata trailers) {
        if (status.getCode() == Status.Code.UNAUTHENTICATED && mayRenew) {
          mayRenew = false;
          return 0L;
        }
        var error = new CallError(status, trailers);
        if (attempts >= policy.attempts || !error.mayBeRepeated()) return null;
        long wait = policy.wait(attempts, error.retryAfter());
        return wait < options.getDeadline().timeRemaining(TimeUnit.MILLISECONDS) ? wait : null;
      }
    }
  }
}
