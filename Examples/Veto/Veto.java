// A hook that refuses texts with the word "spam": java Veto.java 8080
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

class Veto {
    public static void main(String[] arguments) throws Exception {
        var address = new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0]));
        var server = HttpServer.create(address, 0);
        server.createContext("/", exchange -> {
            var bytes = exchange.getRequestBody().readAllBytes();
            // The JDK reads no JSON: the word anywhere in the question refuses all of its items.
            var isSpam = new String(bytes, StandardCharsets.UTF_8).contains("spam");
            var answer = isSpam ? "{\"code\": 38001, \"info\": \"no spam\"}" : "{}";
            exchange.sendResponseHeaders(200, answer.length());
            exchange.getResponseBody().write(answer.getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
    }
}
