package example.git.relation.v1.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How a call is made again after an error that passes. A write is sent again under the same request
 * id, so it is done once.
 */
public final class RetryPolicy {
  private static final double JITTER = 0.2;
  /** Five attempts, after 100 ms and then twice as long each time, up to two seconds. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(5, Duration.ofMillis(100), Duration.ofSeconds(2));
  /** Makes no call again, and adds no request ids. */
  public static final RetryPolicy NONE = new RetryPolicy(1, Duration.ofMillis(100), Duration.ZERO);

  final int attempts;
  private final Duration firstWait;
  private final Duration longestWait;

  /** A policy of so many attempts, the first included; a server may ask for a longer wait. */
  public RetryPolicy(int attempts, Duration firstWait, Duration longestWait) {
    this.attempts = attempts;
    this.firstWait = firstWait;
    this.longestWait = longestWait;
  }

  /** The wait in milliseconds after so many attempts; a fifth shorter or longer by chance. */
  long wait(int attempts, Duration asked) {
    double wait = Math.min(
        firstWait.toMillis() * Math.pow(2, attempts - 1), longestWait.toMillis());
    var chance = ThreadLocalRandom.current();
    wait *= 1 + JITTER * (2 * chance.nextDouble() - 1);
    double least = asked == null ? 0 : asked.toMillis() * (1 + JITTER * chance.nextDouble());
    return (long) Math.ceil(Math.max(wait, least));
  }
}
