// A hook that refuses texts with the word "spam":
// javac Veto.java Signature.java && SECRET=whsec_… java Veto 8080
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

class Veto {
    public static void main(String[] arguments) throws Exception {
        var address = new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0]));
        var server = HttpServer.create(address, 0);
        server.createContext("/", exchange -> {
            var body = exchange.getRequestBody().readAllBytes();
            var status = Signature.isGood(exchange.getRequestHeaders(), body) ? 200 : 401;
            // The JDK reads no JSON: the word anywhere in the question refuses all of its items.
            var isSpam = new String(body, "UTF-8").contains("spam");
            var answer = isSpam ? "{\"code\": 38001, \"info\": \"no spam\"}" : "{}";
            exchange.sendResponseHeaders(status, answer.length());
            exchange.getResponseBody().write(answer.getBytes("UTF-8"));
            exchange.close();
        });
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
    }
}
