import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code relationd demo} as a test double: the server of production, which keeps nothing.
 *
 * <p>Copy this file; it needs no library. The program is RELATIOND of the environment, or the one
 * on the path.
 */
public final class RelationDemo implements AutoCloseable {
    /** The address for any client of gRPC. */
    public final String address;
    /** The numbers of the apps that have names. */
    public final Map<String, Integer> apps = new HashMap<>();

    private static final Pattern APP = Pattern.compile("app (.*) is (\\d+)");
    private static final Pattern NUMBER = Pattern.compile("\"appId\":(\\d+)");

    private final Process process;
    private final String clock;
    private final HttpClient client = HttpClient.newHttpClient();

    /** Starts a demo with these flags, or an empty one. */
    public RelationDemo(String... flags) throws IOException {
        String program = System.getenv().getOrDefault("RELATIOND", "relationd");
        List<String> command = new ArrayList<>(List.of(program, "demo", "--port", "0"));
        command.addAll(flags.length == 0 ? List.of("--empty") : List.of(flags));
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String found = null;
        String clock = null;
        boolean isReady = false;
        BufferedReader lines = process.inputReader();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Matcher app = APP.matcher(line);
            if (line.startsWith("listening on ")) {
                found = line.substring("listening on ".length());
            } else if (line.startsWith("clock on ")) {
                clock = line.substring("clock on ".length());
            } else if (app.matches()) {
                apps.put(app.group(1), Integer.valueOf(app.group(2)));
            } else if (line.equals("ready")) {
                isReady = true;
                break;
            }
        }
        if (!isReady) {
            process.destroy();
            throw new IOException("relationd demo has ended");
        }
        this.address = found;
        this.clock = clock;
    }

    /** Makes an app for one test, whose users no other test sees: the number for x-app-id. */
    public int newApp() throws IOException, InterruptedException {
        String answer =
            call(0, "AppService/CreateApp",
                "{\"name\":\"test\",\"settings\":{\"makesAccountsImplicitly\":true}}", "");
        Matcher number = NUMBER.matcher(answer);
        if (!number.find()) {
            throw new IOException(answer);
        }
        return Integer.parseInt(number.group(1));
    }

    /**
     * Makes a call in JSON.
     *
     * @param app The app; 0 for none.
     * @param method A method such as FriendService/ListFriends.
     * @param fault A text such as {@code code=UNAVAILABLE; reason=OVERLOADED}; empty for none.
     */
    public String call(int app, String method, String request, String fault)
            throws IOException, InterruptedException {
        Map<String, String> headers = new HashMap<>();
        if (app != 0) {
            headers.put("x-app-id", "" + app);
        }
        if (!fault.isEmpty()) {
            headers.put("x-demo-fault", fault);
        }
        return post("http://" + address + "/relation.v1." + method, request, headers);
    }

    /** Moves the clock of the server ahead. */
    public void advance(Duration time) throws IOException, InterruptedException {
        post(clock, "{\"advance_ms\":" + time.toMillis() + "}", Map.of());
    }

    private String post(String url, String body, Map<String, String> headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
            HttpRequest.newBuilder(URI.create(url))
                .version(HttpClient.Version.HTTP_1_1)
                .timeout(Duration.ofSeconds(90))
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        headers.forEach(request::header);
        HttpResponse<String> answer =
            client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException(answer.body());
        }
        return answer.body();
    }

    /** Ends the demo, with all that it holds. */
    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
