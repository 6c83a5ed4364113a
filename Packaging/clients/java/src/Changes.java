package example.git.relation.v1.client;

import example.git.relation.v1.ChangeServiceGrpc.ChangeServiceBlockingStub;
import example.git.relation.v1.WatchRequest;
import example.git.relation.v1.WatchResponse;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Changes, over lost streams too: a new one goes on with the last token.
 *
 * <p>Keep the resume token of the last message that you are done with, and a later run goes on
 * there. It ends only by {@link #close}, or by a refusal of the service, which it throws.
 */
public final class Changes implements Iterable<WatchResponse>, Iterator<WatchResponse>,
    AutoCloseable {
  private static final long HEARTBEAT_MS = 25_000;
  private static final int SILENT_HEARTBEATS = 3;
  private static final long LEAST_SILENCE_MS = 10_000;

  private final ChangeServiceBlockingStub service;
  private final WatchRequest.Builder request;
  private final RetryPolicy policy;
  private final ScheduledExecutorService timers;
  private final long silence;
  private volatile Context.CancellableContext context;
  private volatile boolean closed;
  private Iterator<WatchResponse> stream;
  private WatchResponse message;
  private int failures;

  Changes(ChangeServiceBlockingStub service, WatchRequest request, RetryPolicy policy,
      ScheduledExecutorService timers) {
    this.service = service;
    this.request = request.toBuilder();
    this.policy = policy;
    this.timers = timers;
    if (request.getHeartbeatMs() == 0) this.request.setHeartbeatMs(HEARTBEAT_MS);
    silence = Math.max(SILENT_HEARTBEATS * this.request.getHeartbeatMs(), LEAST_SILENCE_MS);
  }

  @Override public Iterator<WatchResponse> iterator() { return this; }

  @Override public boolean hasNext() {
    while (message == null && !closed) {
      try {
        message = receive();
        failures = 0;
        if (!message.getResumeToken().isEmpty()) request.setResumeToken(message.getResumeToken());
      } catch (StatusRuntimeException thrown) {
        lost(thrown);
      }
    }
    return message != null;
  }

  @Override public WatchResponse next() {
    if (!hasNext()) throw new NoSuchElementException();
    WatchResponse next = message;
    message = null;
    return next;
  }

  /** Ends the stream, from any thread. */
  @Override public void close() {
    closed = true;
    if (context != null) context.cancel(null);
  }

  private WatchResponse receive() {
    if (stream == null) {
      context = Context.current().withCancellation();
      Context before = context.attach();
      try {
        stream = service.watch(request.build());
      } finally {
        context.detach(before);
      }
    }
    var open = context;
    var guard = timers.schedule(() -> open.cancel(null), silence, TimeUnit.MILLISECONDS);
    try {
      if (stream.hasNext()) return stream.next();
    } finally {
      guard.cancel(false);
    }
    throw Status.UNAVAILABLE.withDescription("the stream ended").asRuntimeException();
  }

  /** Waits before the next stream, or throws an error that no other stream would help. */
  private void lost(StatusRuntimeException thrown) {
    context.cancel(null);
    stream = null;
    if (closed) return;
    var error = CallError.of(thrown);
    if (!error.endsAStreamOnly()) throw thrown;
    String token = error.metadata().getOrDefault("resume_token", "");
    if (!token.isEmpty()) request.setResumeToken(token);
    failures++;
    try {
      Thread.sleep(policy.wait(failures, error.retryAfter()));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      closed = true;
    }
  }
}
