import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A load by grpc-java's client, with the options of README.md as NAME=VALUE.
 *
 * <p>A call has what such clients send: a deadline of its own, a traceparent and a request id that
 * no other call has, and the library's user-agent. The messages are made beforehand.
 */
final class Load {
    static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (java.io.IOException error) {
                throw new IllegalStateException(error);
            }
        }
    }

    static final MethodDescriptor<byte[], byte[]> METHOD =
            MethodDescriptor.<byte[], byte[]>newBuilder()
                    .setType(MethodDescriptor.MethodType.UNARY)
                    .setFullMethodName("relation.v1.FriendService/CheckFriends")
                    .setRequestMarshaller(new Bytes())
                    .setResponseMarshaller(new Bytes())
                    .build();
    static final Metadata.Key<String> KEY =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    static final Metadata.Key<String> TRACE =
            Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);
    static final Metadata.Key<String> REQUEST =
            Metadata.Key.of("x-request-id", Metadata.ASCII_STRING_MARSHALLER);

    /** Calls that are measured at least: as many as are in flight may have been answered before. */
    static final long LEAST = 1_000;

    static final AtomicLong next = new AtomicLong(), calls = new AtomicLong();
    static final AtomicLong failed = new AtomicLong();
    static List<byte[]> requests, answers;
    static String head, key;

    /** Makes one call after another. */
    static void begin(Channel channel) {
        long number = next.incrementAndGet();
        int index = (int) (number % requests.size());
        CallOptions options = CallOptions.DEFAULT;
        if (!head.equals("none")) {
            options = options.withDeadlineAfter(20_000_000 + number % 1_000_000,
                    TimeUnit.MICROSECONDS);
        }
        Metadata metadata = new Metadata();
        metadata.put(KEY, key);
        if (head.equals("all")) {
            long mixed = number * 0x9e3779b97f4a7c15L;
            metadata.put(TRACE, String.format("00-%016x%016x-%016x-00", mixed, ~mixed, mixed | 1));
            metadata.put(REQUEST, String.format("%016x", mixed));
        }
        ClientCall<byte[], byte[]> call = channel.newCall(METHOD, options);
        call.start(new ClientCall.Listener<byte[]>() {
            boolean isRight;

            @Override
            public void onMessage(byte[] answer) {
                isRight = Arrays.equals(answer, answers.get(index));
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
                if (!status.isOk() || !isRight) {
                    if (failed.incrementAndGet() == 1) {
                        System.err.println("a call failed: " + status);
                    }
                }
                calls.incrementAndGet();
                begin(channel);
            }
        }, metadata);
        call.request(2);
        call.sendMessage(requests.get(index));
        call.halfClose();
    }

    /** The messages of a file, each with gRPC's five bytes before it. */
    static List<byte[]> messages(String name) throws java.io.IOException {
        ByteBuffer text = ByteBuffer.wrap(Files.readAllBytes(Path.of(name)));
        List<byte[]> found = new ArrayList<>();
        while (text.hasRemaining()) {
            text.get();
            byte[] message = new byte[text.getInt()];
            text.get(message);
            found.add(message);
        }
        return found;
    }

    public static void main(String[] words) throws Exception {
        Map<String, String> options = new HashMap<>();
        for (String word : words) {
            String[] parts = word.split("=", 2);
            options.put(parts[0], parts[1]);
        }
        head = options.get("head");
        key = "Bearer " + options.get("key");
        requests = messages(options.get("file"));
        answers = messages(options.get("answers"));
        String ca = options.get("ca");
        for (int count = Integer.parseInt(options.get("connections")); count > 0; count--) {
            NettyChannelBuilder builder =
                    NettyChannelBuilder.forTarget(options.get("address")).directExecutor();
            if (ca.isEmpty()) {
                builder.usePlaintext();
            } else {
                builder.overrideAuthority("localhost").sslContext(
                        GrpcSslContexts.forClient().trustManager(new File(ca))
                                .protocols("TLSv1.3").build());
            }
            ManagedChannel channel = builder.build();
            for (int streams = Integer.parseInt(options.get("streams")); streams > 0; streams--) {
                begin(channel);
            }
        }
        while (calls.get() == 0) {
            Thread.sleep(1);
        }
        Thread.sleep((long) (1000 * Double.parseDouble(options.get("warm"))));
        System.out.println("begin");
        System.out.flush();
        long time = System.nanoTime(), before = calls.get();
        Thread.sleep((long) (1000 * Double.parseDouble(options.get("seconds"))));
        while (calls.get() < before + LEAST) {
            Thread.sleep(1);
        }
        long made = calls.get() - before;
        double taken = (System.nanoTime() - time) / 1e9;
        System.out.printf(java.util.Locale.ROOT,
                "{\"calls\": %d, \"seconds\": %f, \"failed\": %d}%n", made, taken, failed.get());
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }
}
