import com.google.gson.*;
import com.google.protobuf.*;
import com.google.protobuf.util.JsonFormat;
import com.google.rpc.*;
import io.grpc.*;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.protobuf.StatusProto;
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

/** One run of a case. The program runs the cases of files: {@code java Run ADDRESS FILE...}. */
@SuppressWarnings("unchecked")
record Run(Channel channel, Map<String, String> names, Map<String, Exchange> streams) {
  static final String PACKAGE = "example.git.relation.v1."; // As the contract names it.
  static final Gson GSON = new GsonBuilder()
      .setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE).create();

  public static void main(String[] arguments) throws Exception {
    var channel = ManagedChannelBuilder.forTarget(arguments[0]).usePlaintext().build();
    int passed = 0, failed = 0;
    for (String path : List.of(arguments).subList(1, arguments.length)) {
      Map<String, ?> file = GSON.fromJson(Files.readString(Path.of(path)), Map.class);
      for (var test : (List<Map<String, Object>>) file.get("cases")) {
        String wrong = new Run(channel, new HashMap<>(), new HashMap<>()).runCase(test);
        if (wrong == null) passed++; else failed++;
        if (wrong != null) System.out.println(file.get("call") + ": " + wrong);
      }
    }
    System.out.println(passed + " cases passed, " + failed + " failed");
    System.exit(passed > 0 && failed == 0 ? 0 : 1);
  }

  /** Runs a case with users and an app of its own. Returns what was wrong, or null. */
  String runCase(Map<String, Object> test) throws Exception {
    Thread.currentThread().setName((String) test.get("name")); // What is thrown is printed with it.
    var users = (List<String>) test.getOrDefault("users", List.of());
    var unknown = (List<String>) test.getOrDefault("unknown", List.of());
    names.put("run", UUID.randomUUID().toString().substring(0, 8));
    for (String name : users) names.put(name, name + "-" + names.get("run"));
    for (String name : unknown) names.put(name, name + "-" + names.get("run"));
    var before = new ArrayList<>();
    if (test.containsKey("app"))
      before.add(Map.of("call", "AppService/CreateApp", "request", test.get("app"), "answer",
          Map.of("$has", Map.of("app", Map.of("$has", Map.of("appId", Map.of("$save", "app")))))));
    for (String user : users) before.add(Map.of("call", "ProfileService/UpdateProfile", "request",
        Map.of("userId", names.get(user), "profile", Map.of("gender", 0), "updateMask", "gender"),
        "answer", Map.of("$has", Map.of("applied", true))));
    String wrong = run(before);
    if (wrong == null) wrong = run((List<?>) test.get("steps"));
    for (Exchange stream : streams.values()) stream.call.cancel("The case is over.", null);
    if (names.containsKey("app"))
      step(Map.of("call", "AppService/DeleteApp", "request", Map.of("appId", names.get("app"))));
    return wrong == null ? null : test.get("name") + ": " + wrong;
  }

  /** Does steps, each until it is answered as expected or may not be repeated. */
  String run(List<?> steps) throws Exception {
    for (int at = 0; at < steps.size(); at++) {
      for (long index = 0, times = 1; index < times; index++) {
        names.put("index", Long.toString(index));
        var step = expand(GSON.toJson(steps.get(at)));
        times = (long) step.getOrDefault("times", 1L);
        long end = System.currentTimeMillis() + (long) step.getOrDefault("retryForMs", 0L);
        while (true) {
          var came = step(step);
          var wrong = Stream.of("error", "answer", "end")
              .flatMap(key -> differs(step.get(key), came.get(key), key)).findFirst();
          if (wrong.isEmpty()) break;
          boolean passedOver = step.containsKey("skipping") && came.containsKey("answer");
          if (!passedOver && System.currentTimeMillis() >= end)
            return "step " + (at + 1) + ": " + wrong.get();
        }
      }
    }
    return null;
  }

  /** A step with its variables put in. The last `$repeat` of a text has no other within it. */
  Map<String, Object> expand(String text) {
    for (int at; (at = text.lastIndexOf("{\"$repeat\":")) >= 0; ) {
      var reader = GSON.newJsonReader(new StringReader(text.substring(at)));
      JsonObject repeat = GSON.fromJson(reader, JsonObject.class);
      String part = GSON.toJson(repeat.get("$repeat"));
      String made = IntStream.range(0, repeat.get("times").getAsInt())
          .mapToObj(index -> part.substring(1, part.length() - 1).replace("${index}", "" + index))
          .collect(Collectors.joining(part.startsWith("[") ? "," : ""));
      text = text.substring(0, at) + part.charAt(0) + made + part.charAt(part.length() - 1)
          + text.substring(at + GSON.toJson(repeat).length());
    }
    for (String name : names.keySet()) text = text.replace("${" + name + "}", names.get(name));
    return GSON.fromJson(text, Map.class);
  }

  Map<String, ?> step(Map<String, Object> step) throws Exception {
    if (step.get("call") instanceof String path) {
      var call = new Exchange(path, step);
      Map<String, ?> first = call.receive(), end = call.receive();
      return end.containsKey("end") ? first : end;
    }
    if (step.get("decode") instanceof String name) {
      byte[] bytes = HexFormat.of().parseHex((String) step.get("bytes"));
      var message = (Message) Class.forName(PACKAGE + name)
          .getMethod("parseFrom", byte[].class).invoke(null, bytes);
      boolean same = Arrays.equals(message.toByteArray(), bytes) || !step.containsKey("again");
      return Map.of(same ? "answer" : "other bytes", json(message));
    }
    if (step.get("receive") instanceof String name) return streams.get(name).receive();
    if (step.get("open") instanceof String path)
      streams.put((String) step.get("stream"), new Exchange(path, step));
    if (step.get("send") instanceof String name) streams.get(name).send(step);
    if (step.get("halfClose") instanceof String name) streams.get(name).call.halfClose();
    if (step.get("cancel") instanceof String name) streams.get(name).call.cancel("Cancel.", null);
    return Map.of();
  }

  static Map<String, ?> json(Message message) throws InvalidProtocolBufferException {
    return GSON.fromJson(JsonFormat.printer().print(message), Map.class);
  }

  /** A call, and a queue of what came. It sends bytes, since a case may append some. */
  class Exchange extends ClientCall.Listener<Message> implements Marshaller<ByteString> {
    final BlockingQueue<Object> came = new LinkedBlockingQueue<>();
    final ClientCall<ByteString, Message> call;
    final String name;

    Exchange(String path, Map<String, Object> step) throws Exception {
      name = path.split("/")[1];
      var stub = Class.forName(PACKAGE + path.split("/")[0] + "Grpc");
      var rpc = (MethodDescriptor<?, Message>) stub.getMethod("get" + name + "Method").invoke(null);
      var timeout = (long) step.getOrDefault("timeoutMs", 20_000L);
      call = channel.newCall(rpc.toBuilder(this, rpc.getResponseMarshaller()).build(),
          CallOptions.DEFAULT.withDeadlineAfter(timeout, TimeUnit.MILLISECONDS));
      var metadata = new HashMap<>((Map<String, String>) step.getOrDefault("metadata", Map.of()));
      if (names.containsKey("app")) metadata.putIfAbsent("x-app-id", names.get("app"));
      var headers = new Metadata();
      for (String key : metadata.keySet())
        headers.put(Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER), metadata.get(key));
      call.start(this, headers); call.request(Integer.MAX_VALUE);
      if (step.containsKey("request")) send(step).halfClose();
    }

    ClientCall<?, ?> send(Map<String, Object> step) throws Exception {
      var request = (Message.Builder) Class.forName(PACKAGE + name + "Request")
          .getMethod("newBuilder").invoke(null);
      JsonFormat.parser().merge(GSON.toJson(step.get("request")), request);
      var extra = HexFormat.of().parseHex((String) step.getOrDefault("extra", ""));
      call.sendMessage(request.build().toByteString().concat(ByteString.copyFrom(extra)));
      return call;
    }

    @Override public InputStream stream(ByteString bytes) { return bytes.newInput(); }
    @Override public ByteString parse(InputStream stream) { throw new AssertionError(); }
    @Override public void onMessage(Message message) { came.add(message); }
    @Override public void onClose(io.grpc.Status status, Metadata trailers) {
      came.add(status.asException(trailers));
    }

    Map<String, ?> receive() throws Exception {
      Object next = came.take();
      if (!(next instanceof StatusException end)) return Map.of("answer", json((Message) next));
      came.add(end); // It stays the last.
      if (end.getStatus().isOk()) return Map.of("end", true);
      var details = new HashMap<String, Object>(Map.of("status", end.getStatus().getCode().name()));
      for (Any detail : StatusProto.fromThrowable(end).getDetailsList()) {
        if (detail.is(ErrorInfo.class)) details.putAll(json(detail.unpack(ErrorInfo.class)));
        if (detail.is(RetryInfo.class)) details.put("retry", true);
        if (detail.is(BadRequest.class)) details.put("fields", detail.unpack(BadRequest.class)
            .getFieldViolationsList().stream().map(BadRequest.FieldViolation::getField).toList());
      }
      details.remove("domain", "relation.v1");
      return Map.of("error", details);
    }
  }

  /** What differs, in words. Saves the values that `$save` names, as they stand in JSON. */
  Stream<String> differs(Object expected, Object came, String path) {
    var kinds = Map.of("string", String.class, "number", Number.class, "object", Map.class);
    Map<?, ?> wanted = expected instanceof Map<?, ?> map ? map : Map.of();
    Object any = wanted.get("$any"), has = wanted.get("$has"), save = wanted.get("$save");
    boolean saved = save != null && came != null;
    if (saved) names.put((String) save, GSON.toJson(came.toString()).replaceAll("^\"|\"$", ""));
    if (saved || Objects.equals(expected, came) || any != null && kinds.get(any).isInstance(came)
        || has instanceof List<?> items && came instanceof List<?> all && items.stream().allMatch(
            item -> all.stream().anyMatch(one -> differs(item, one, "").findAny().isEmpty())))
      return Stream.empty();
    if (expected instanceof Map && came instanceof Map<?, ?> all) {
      Map<?, ?> some = has instanceof Map<?, ?> members ? members : wanted;
      var keys = new TreeSet<Object>(some == wanted ? all.keySet() : Set.of());
      keys.addAll(some.keySet());
      return keys.stream().flatMap(key -> differs(some.get(key), all.get(key), path + "." + key));
    }
    if (expected instanceof List<?> one && came instanceof List<?> two && one.size() == two.size())
      return IntStream.range(0, one.size()).boxed().flatMap(
          at -> differs(one.get(at), two.get(at), path + "." + at));
    return Stream.of(path + ": expected " + GSON.toJson(expected) + ", came " + GSON.toJson(came));
  }
}
