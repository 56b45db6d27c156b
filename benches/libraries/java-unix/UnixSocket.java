import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;

/**
 * Two processes over a Unix socket with SocketChannel. The argument is block, with heap buffers, or poll: a non-blocking channel
 * with direct buffers, which the JVM does not copy before system calls.
 */
final class UnixSocket implements Protocol.Program {
  private final boolean polls;

  private UnixSocket(boolean polls) {
    this.polls = polls;
  }

  @Override
  public String settings() {
    return polls ? "non-blocking channel, direct buffers" : "blocking channel, heap buffers";
  }

  @Override
  public ByteBuffer allocate(int bytes) {
    return polls ? ByteBuffer.allocateDirect(bytes) : ByteBuffer.allocate(bytes);
  }

  @Override
  public Protocol.Channel accept(Path address, Runnable ready) throws IOException {
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(address));
      ready.run();
      return channel(server.accept());
    }
  }

  @Override
  public Protocol.Channel connect(Path address) throws IOException {
    return channel(SocketChannel.open(UnixDomainSocketAddress.of(address)));
  }

  private Protocol.Channel channel(SocketChannel socket) throws IOException {
    socket.configureBlocking(!polls);
    return new Protocol.Channel() {
      @Override
      public void send(ByteBuffer message) throws IOException {
        message.clear();
        while (message.hasRemaining()) socket.write(message);
        message.clear();
      }

      @Override
      public void receive(ByteBuffer message) throws IOException {
        message.clear();
        while (message.hasRemaining()) {
          if (socket.read(message) < 0) throw new EOFException("the other process closed the socket");
        }
        message.clear();
      }
    };
  }

  public static void main(String[] arguments) {
    if (arguments.length == 0 || !List.of("block", "poll").contains(arguments[0])) {
      System.err.println(List.of(arguments) + ": expected block or poll");
      System.exit(2);
    }
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> again = List.of(java, "-cp", System.getProperty("java.class.path"), "UnixSocket", arguments[0]);
    Protocol.run(new UnixSocket(arguments[0].equals("poll")), again, arguments);
  }
}
