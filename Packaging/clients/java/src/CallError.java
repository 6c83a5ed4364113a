package example.git.relation.v1.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import example.git.relation.v1.ErrorReason;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The reason of a call that failed as a whole: {@code CallError.of(error).reason()}. The outcome of
 * an item is in the answer, and no error.
 */
public final class CallError {
  private static final String DOMAIN = "relation.v1";
  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private final Status status;
  private final Map<String, String> metadata = new LinkedHashMap<>();
  private final Map<String, String> fields = new LinkedHashMap<>();
  private String reason = "";
  private Duration retryAfter;

  /** Reads the details of what a call has thrown. */
  public static CallError of(Throwable thrown) {
    return new CallError(Status.fromThrowable(thrown), Status.trailersFromThrowable(thrown));
  }

  CallError(Status status, Metadata trailers) {
    this.status = status;
    byte[] details = trailers == null ? null : trailers.get(DETAILS);
    try {
      if (details != null) readStatus(ByteString.copyFrom(details));
    } catch (InvalidProtocolBufferException error) {
      // Details that cannot be read take nothing away from the status that came with them.
    }
  }

  /** The code of gRPC. */
  public Status.Code code() { return status.getCode(); }

  /** The words of the status. */
  public String message() { return String.valueOf(status.getDescription()); }

  /** The reason as a text, such as {@code USER_NOT_FOUND}; empty if the service gave none. */
  public String reason() { return reason; }

  /** The reason as the contract's enum; UNSPECIFIED if it is newer than this package. */
  public ErrorReason errorReason() {
    try {
      return ErrorReason.valueOf("ERROR_REASON_" + reason);
    } catch (IllegalArgumentException error) {
      return ErrorReason.ERROR_REASON_UNSPECIFIED;
    }
  }

  /** The metadata of the reason, such as {@code limit} and {@code actual}. */
  public Map<String, String> metadata() { return metadata; }

  /** Each invalid field of the request, with its rule. */
  public Map<String, String> fields() { return fields; }

  /** The time after which the server asks to try again, or null. */
  public Duration retryAfter() { return retryAfter; }

  @Override public String toString() {
    return code() + (reason.isEmpty() ? "" : " (" + reason + ")") + ": " + message();
  }

  /** Whether the same call may succeed later, if it does no harm to make it twice. */
  public boolean mayBeRepeated() {
    switch (code()) {
      case UNAVAILABLE: return !reason.equals("BEHIND");
      case RESOURCE_EXHAUSTED: return retryAfter != null;
      default: return reason.equals("OUTCOME_UNKNOWN") || reason.equals("CONFLICT");
    }
  }

  /** Whether another stream of changes may go on after the one that ended so. */
  boolean endsAStreamOnly() {
    switch (code()) {
      case UNAVAILABLE: case ABORTED: case CANCELLED: case DEADLINE_EXCEEDED:
      case RESOURCE_EXHAUSTED: return !reason.equals("READER_FENCED");
      case UNKNOWN: case INTERNAL: return reason.isEmpty();
      default: return false;
    }
  }

  private void readStatus(ByteString status) throws InvalidProtocolBufferException {
    for (ByteString detail : fields(status).getField(3).getLengthDelimitedList()) {
      String type = text(fields(detail), 1);
      UnknownFieldSet value = fields(last(fields(detail), 2));
      switch (type.substring(type.lastIndexOf('.') + 1)) {
        case "ErrorInfo": readInfo(value); break;
        case "BadRequest":
          for (ByteString violation : value.getField(1).getLengthDelimitedList())
            fields.put(text(fields(violation), 1), text(fields(violation), 2));
          break;
        case "RetryInfo":
          UnknownFieldSet delay = fields(last(value, 1));
          retryAfter = Duration.ofSeconds(number(delay, 1)).plusNanos(number(delay, 2));
          break;
        default:
      }
    }
  }

  private void readInfo(UnknownFieldSet info) throws InvalidProtocolBufferException {
    if (!text(info, 2).equals(DOMAIN)) return;
    reason = text(info, 1);
    for (ByteString entry : info.getField(3).getLengthDelimitedList())
      metadata.put(text(fields(entry), 1), text(fields(entry), 2));
  }

  private static UnknownFieldSet fields(ByteString message) throws InvalidProtocolBufferException {
    return UnknownFieldSet.parseFrom(message);
  }

  private static ByteString last(UnknownFieldSet message, int number) {
    var values = message.getField(number).getLengthDelimitedList();
    return values.isEmpty() ? ByteString.EMPTY : values.get(values.size() - 1);
  }

  private static String text(UnknownFieldSet message, int number) {
    return last(message, number).toStringUtf8();
  }

  private static long number(UnknownFieldSet message, int number) {
    var values = message.getField(number).getVarintList();
    return values.isEmpty() ? 0 : values.get(values.size() - 1);
  }
}
