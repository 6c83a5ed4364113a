import com.sun.net.httpserver.Headers;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The signatures of Standard Webhooks; SECRET is `whsec_` and the key in base64. */
class Signature {
    static boolean isGood(Headers headers, byte[] body) {
        try {
            var secret = System.getenv("SECRET").substring("whsec_".length());
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret), "HmacSHA256"));
            var head = headers.getFirst("webhook-id") + "." + headers.getFirst("webhook-timestamp") + ".";
            mac.update(head.getBytes());
            var mine = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
            var isGood = false;
            for (var given : String.valueOf(headers.getFirst("webhook-signature")).split(" ")) {
                isGood |= MessageDigest.isEqual(given.getBytes(), mine.getBytes());
            }
            return isGood;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
