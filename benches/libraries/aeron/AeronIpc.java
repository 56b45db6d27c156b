import io.aeron.Aeron;
import io.aeron.AeronVersion;
import io.aeron.CommonContext;
import io.aeron.ControlledFragmentAssembler;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.logbuffer.ControlledFragmentHandler.Action;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.IoUtil;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Two processes over Aeron IPC: a stream in shared memory for each direction. The responder runs the media driver. The
 * argument is backoff or spin: the idle strategy of a process that waits.
 */
final class AeronIpc implements Protocol.Program {
  private static final int TO_RESPONDER = 1;
  private static final int TO_INITIATOR = 2;

  private final boolean spins;

  private AeronIpc(boolean spins) {
    this.spins = spins;
  }

  @Override
  public String settings() {
    return (spins ? "BusySpinIdleStrategy" : "BackoffIdleStrategy") + ", Aeron " + AeronVersion.VERSION;
  }

  @Override
  public ByteBuffer allocate(int bytes) {
    return ByteBuffer.allocateDirect(bytes);
  }

  @Override
  public Protocol.Channel accept(Path address, Runnable ready) throws IOException {
    String folder = folder(address);
    MediaDriver.launchEmbedded(new MediaDriver.Context().aeronDirectoryName(folder));
    Aeron aeron = connect(folder);
    Subscription incoming = aeron.addSubscription(CommonContext.IPC_CHANNEL, TO_RESPONDER);
    ready.run();
    Stream stream = new Stream(aeron.addExclusivePublication(CommonContext.IPC_CHANNEL, TO_INITIATOR), incoming);
    stream.awaitConnection();
    stream.send(ByteBuffer.allocateDirect(1));
    return stream;
  }

  @Override
  public Protocol.Channel connect(Path address) throws IOException {
    String folder = folder(address);
    Aeron aeron = connect(folder);
    Subscription incoming = aeron.addSubscription(CommonContext.IPC_CHANNEL, TO_INITIATOR);
    Stream stream = new Stream(aeron.addExclusivePublication(CommonContext.IPC_CHANNEL, TO_RESPONDER), incoming);
    stream.awaitConnection();
    // Sent when the responder is connected.
    stream.receive(ByteBuffer.allocateDirect(1));
    // Mapped files need no name, so nothing is left if the program is killed.
    IoUtil.delete(new File(folder), true);
    return stream;
  }

  /** The media driver's folder, in memory where the system has a file system for that. */
  private static String folder(Path address) {
    return CommonContext.AERON_DIR_PROP_DEFAULT + "-" + address.getParent().getFileName();
  }

  private static Aeron connect(String folder) {
    return Aeron.connect(new Aeron.Context().aeronDirectoryName(folder));
  }

  /** One process's ends of both directions. */
  private final class Stream implements Protocol.Channel {
    private final ExclusivePublication outgoing;
    private final Subscription incoming;
    private final IdleStrategy idle = spins ? new BusySpinIdleStrategy() : new BackoffIdleStrategy();
    private final UnsafeBuffer buffer = new UnsafeBuffer();
    private ByteBuffer received;
    private boolean isReceived;
    // Breaks after a message, so that the next stays in the stream.
    private final ControlledFragmentAssembler assembler =
        new ControlledFragmentAssembler((source, offset, length, header) -> {
          received.clear();
          source.getBytes(offset, received, length);
          received.clear();
          isReceived = true;
          return Action.BREAK;
        });

    Stream(ExclusivePublication outgoing, Subscription incoming) {
      this.outgoing = outgoing;
      this.incoming = incoming;
    }

    void awaitConnection() {
      while (!outgoing.isConnected() || !incoming.isConnected()) idle.idle();
    }

    @Override
    public void send(ByteBuffer message) throws IOException {
      buffer.wrap(message);
      idle.reset();
      for (long position; (position = outgoing.offer(buffer)) < 0; idle.idle()) {
        if (position != Publication.BACK_PRESSURED && position != Publication.ADMIN_ACTION) {
          throw new IOException("cannot send: " + Publication.errorString(position));
        }
      }
    }

    @Override
    public void receive(ByteBuffer message) {
      received = message;
      isReceived = false;
      idle.reset();
      while (!isReceived) idle.idle(incoming.controlledPoll(assembler, 10));
    }
  }

  public static void main(String[] arguments) {
    if (arguments.length == 0 || !List.of("backoff", "spin").contains(arguments[0])) {
      System.err.println(List.of(arguments) + ": expected backoff or spin");
      System.exit(2);
    }
    // A failure of any thread ends the process: Aeron throws unchecked exceptions, and its threads keep the JVM alive.
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
      System.err.println(failure);
      Runtime.getRuntime().halt(1);
    });
    List<String> again = new ArrayList<>();
    again.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    again.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    again.addAll(List.of("-cp", System.getProperty("java.class.path"), "AeronIpc", arguments[0]));
    Protocol.run(new AeronIpc(arguments[0].equals("spin")), again, arguments);
  }
}
