package tenure;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import io.netty.channel.Channel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/**
 * A MongoDB stand-in on a free port of the loopback, which it prints. With the files of a key (RSA) and
 * of its certificate as arguments it talks TLS alone.
 *
 * <p>It calls itself MongoDB 4.4 (wire version 9), for the library's own newest wire version is older than
 * the oldest that current drivers talk to.
 */
public final class MongoServerMain {
  private MongoServerMain() {}

  private static final class Version44 implements MongoVersion {
    @Override
    public List<Integer> getVersionArray() {
      return List.of(4, 4, 0, 0);
    }

    @Override
    public int getWireVersion() {
      return 9;
    }
  }

  /**
   * The library knows {@code hello} only by its older name. It answers with the stored documents
   * themselves, and updates change these in place: an answer that is not a copy, made before the next
   * command runs, can show what a later command wrote.
   */
  private static final class Backend extends MemoryBackend {
    @Override
    public synchronized Document handleCommand(
        Channel channel, String databaseName, String command, Document query) {
      String aliased = command.equals("hello") ? "isMaster" : command;
      Document answer = super.handleCommand(channel, databaseName, aliased, query);
      return answer == null ? null : answer.cloneDeeply();
    }
  }

  private static PrivateKey keyIn(String file) throws IOException, GeneralSecurityException {
    String text = Files.readString(Path.of(file), StandardCharsets.US_ASCII);
    byte[] bytes = Base64.getMimeDecoder().decode(text.replaceAll("-----[A-Z ]+-----", ""));
    return KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(bytes));
  }

  private static X509Certificate certificateIn(String file)
      throws IOException, GeneralSecurityException {
    ByteArrayInputStream bytes = new ByteArrayInputStream(Files.readAllBytes(Path.of(file)));
    return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(bytes);
  }

  public static void main(String[] args)
      throws InterruptedException, IOException, GeneralSecurityException {
    Backend backend = new Backend();
    backend.version(new Version44());
    MongoServer server = new MongoServer(backend);
    if (args.length == 2) server.enableSsl(keyIn(args[0]), null, certificateIn(args[1]));
    server.bind("127.0.0.1", 0);
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    System.out.println("listening on port " + server.getLocalAddress().getPort());
    System.out.flush();
    Thread.currentThread().join();
  }
}
