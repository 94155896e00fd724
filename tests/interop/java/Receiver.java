import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

public class Receiver {
    /** Keeps every digit of an amount. */
    static final JsonMapper MAPPER = JsonMapper.builder()
        .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
        .nodeFactory(JsonNodeFactory.withExactBigDecimals(true)) // keeps the last zero of 100.10
        .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN) // no exponents
        .build();

    public static void main(String[] arguments) throws Exception {
        var address = new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0]));
        var server = HttpServer.create(address, 0);
        server.createContext("/", exchange -> {
            var body = exchange.getRequestBody().readAllBytes();
            // Store `body` here: what was answered with 200 is not sent again.
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
            var response = MAPPER.readTree(body).path("response");
            var failed = response.path("error").asBoolean();
            var state = failed ? "failed" : response.path("hardrefreshing").asBoolean() ? "interim" : "done";
            System.out.println(exchange.getRequestURI() + " " + state + " " + MAPPER.writeValueAsString(response));
        });
        server.start();
    }
}
