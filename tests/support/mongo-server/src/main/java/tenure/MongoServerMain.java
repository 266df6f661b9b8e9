package tenure;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.List;

/**
 * A MongoDB stand-in on a free port of the loopback, which it prints.
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

  public static void main(String[] args) throws InterruptedException {
    MemoryBackend backend = new MemoryBackend();
    backend.version(new Version44());
    MongoServer server = new MongoServer(backend);
    server.bind("127.0.0.1", 0);
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    System.out.println("listening on port " + server.getLocalAddress().getPort());
    System.out.flush();
    Thread.currentThread().join();
  }
}
