import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The protocol for external programs, ../../external/PROTOCOL.md, and the measurement. */
final class Protocol {
  private static final int HEADER_BYTES = 8;
  private static final int MULTIPLIER = (int) 2654435761L;

  /** One end of a channel. Buffers are full messages from position 0. */
  interface Channel {
    void send(ByteBuffer message) throws IOException;

    void receive(ByteBuffer message) throws IOException;
  }

  /** What a library adds to the protocol. */
  interface Program {
    String settings();

    ByteBuffer allocate(int bytes);

    /** Opens the responder's end at this address, a path of its own, and calls `ready` when the initiator can connect. */
    Channel accept(Path address, Runnable ready) throws IOException;

    /** Opens the initiator's end. */
    Channel connect(Path address) throws IOException;
  }

  /** The case to measure. Counts are for one part. */
  record Case(boolean isStream, int messageBytes, int perSample, int samples, int warmupSamples, int seed) {
    /** The header of a message as an integer. Warm-up messages have negative numbers. */
    int header(long number) {
      return (seed + (int) number) * MULTIPLIER;
    }
  }

  /** A case that this program does not support; the message is the reason. */
  private static final class Unsupported extends Exception {
    private static final long serialVersionUID = 1;

    Unsupported(String why) {
      super(why);
    }
  }

  /** Counts of recorded messages, and the sum of their headers. */
  private static final class Counts {
    long delivered;
    int sum;

    void add(Case testCase, long number, ByteBuffer message) {
      if (number < 0) return;
      byte[] digits = new byte[HEADER_BYTES];
      message.get(0, digits);
      int header = Integer.parseUnsignedInt(new String(digits, StandardCharsets.US_ASCII), 16);
      sum += header;
      if (header == testCase.header(number)) delivered++;
    }
  }

  private Protocol() {}

  /** Serves the harness, or with "responder" in the arguments, the initiator. `command` starts this program again. */
  static void run(Program program, List<String> command, String[] arguments) {
    try {
      if (arguments.length > 2 && arguments[arguments.length - 3].equals("responder")) {
        respond(program, Path.of(arguments[arguments.length - 2]), arguments[arguments.length - 1]);
      } else {
        initiate(program, command);
      }
    } catch (Unsupported unsupported) {
      printLine("{\"unsupported\":" + quoted(unsupported.getMessage()) + "}");
    } catch (IOException failure) {
      printLine("{\"failed\":" + quoted(failure.toString()) + "}");
      System.exit(1);
    }
  }

  private static Case parse(String line) throws Unsupported {
    // The harness writes each name once, and no spaces.
    if (!line.contains("\"protocol\":1,")) throw new Unsupported("unsupported protocol version: expected 1");
    if (!line.contains("\"mode\":\"2proc\"")) throw new Unsupported("only mode 2proc is supported");
    boolean isStream = line.contains("\"scenario\":\"stream\"");
    if (!isStream && !line.contains("\"scenario\":\"roundtrip\"")) {
      throw new Unsupported("unsupported scenario: expected roundtrip or stream");
    }
    if (number(line, "window") != 1) throw new Unsupported("only a window of 1 is supported");
    return new Case(
        isStream,
        number(line, "message_bytes"),
        number(line, "batch") * number(line, "messages_per_operation"),
        number(line, "samples"),
        number(line, "warmup_samples"),
        number(line, "seed"));
  }

  /** A field of the case, modulo 2^32. */
  private static int number(String line, String name) throws Unsupported {
    Matcher field = Pattern.compile("\"" + name + "\":(\\d+)").matcher(line);
    if (!field.find()) throw new Unsupported("invalid case: expected a number in " + name);
    return (int) Long.parseLong(field.group(1));
  }

  private static void respond(Program program, Path address, String line) throws IOException, Unsupported {
    Case testCase = parse(line);
    Thread watch = new Thread(Protocol::exitWithInitiator);
    watch.setDaemon(true);
    watch.start();
    Channel channel = program.accept(address, () -> printLine("ready"));
    ByteBuffer message = program.allocate(testCase.messageBytes);
    int perSample = testCase.perSample;
    long number = -(long) testCase.warmupSamples * perSample;
    for (long end = (long) testCase.samples * perSample; ; end += (long) testCase.samples * perSample) {
      Counts counts = new Counts();
      for (; number < end; number++) {
        channel.receive(message);
        if (!testCase.isStream) channel.send(message);
        else if ((end - number - 1) % perSample == 0) printLine(Long.toString(System.nanoTime()));
        counts.add(testCase, number, message);
      }
      printLine(counts.delivered + " " + Integer.toUnsignedString(counts.sum));
    }
  }

  private static void exitWithInitiator() {
    try {
      // The initiator writes nothing; its exit closes standard input.
      System.in.read();
    } catch (IOException closed) {
      // The same.
    }
    System.exit(1);
  }

  private static void initiate(Program program, List<String> command) throws IOException, Unsupported {
    BufferedReader harness = new BufferedReader(new InputStreamReader(System.in));
    String line = harness.readLine();
    Case testCase = parse(line);
    Path folder = Files.createTempDirectory("roundtrip-");
    Path address = folder.resolve("channel");
    List<String> responderCommand = new ArrayList<>(command);
    responderCommand.addAll(List.of("responder", address.toString(), line));
    ProcessBuilder builder = new ProcessBuilder(responderCommand).redirectError(ProcessBuilder.Redirect.INHERIT);
    Process responder = builder.start();
    BufferedReader reports = responder.inputReader();
    if (reports.readLine() == null) throw new IOException("cannot start the responder");
    Channel channel = program.connect(address);
    // A connected socket needs no name, so nothing is left if the program is killed.
    Files.deleteIfExists(address);
    Files.delete(folder);
    responder.onExit().thenRun(() -> {
      printLine("{\"failed\":\"the responder exited with " + responder.exitValue() + "\"}");
      Runtime.getRuntime().halt(1);
    });
    printLine(String.format(
        "{\"connected\":{\"initiator_pid\":%d,\"responder_pid\":%d,\"facts\":{\"version\":%s,\"settings\":%s}}}",
        ProcessHandle.current().pid(), responder.pid(), quoted(System.getProperty("java.version")),
        quoted(program.settings())));
    // The harness sends "go" for each part, and closes standard input after the last.
    for (long next = -testCase.warmupSamples; harness.readLine() != null; next = Math.max(next, 0) + testCase.samples) {
      measure(program, testCase, next, channel, reports);
    }
    // The responder exits next, and that is no failure.
    Runtime.getRuntime().halt(0);
  }

  /** Measures a part that begins with this sample. The first part begins with the warm-up, whose samples are negative. */
  private static void measure(Program program, Case testCase, long sample, Channel channel, BufferedReader reports)
      throws IOException {
    Counts answers = new Counts();
    ByteBuffer answer = program.allocate(testCase.messageBytes);
    ByteBuffer message = program.allocate(testCase.messageBytes);
    byte[] filler = new byte[testCase.messageBytes];
    Arrays.fill(filler, (byte) '.');
    message.put(filler).clear();
    StringJoiner samples = new StringJoiner(",");
    long first = Math.max(sample, 0);
    long firstSend = 0;
    long last = 0;
    for (; sample < first + testCase.samples; sample++) {
      long begin = System.nanoTime();
      if (sample == first) firstSend = begin;
      for (long number = sample * testCase.perSample; number < (sample + 1) * testCase.perSample; number++) {
        writeHeader(message, testCase.header(number));
        channel.send(message);
        if (testCase.isStream) continue;
        channel.receive(answer);
        last = System.nanoTime();
        answers.add(testCase, number, answer);
        if (sample < 0 && !answer.equals(message)) throw new IOException("the responder returned a different message");
      }
      // In HotSpot, nanoTime is the machine's monotonic clock, which both processes share.
      if (testCase.isStream) last = Long.parseLong(report(reports));
      if (sample >= first) samples.add(Long.toString(last - begin));
    }
    String[] responder = report(reports).split(" ");
    long messages = (long) testCase.samples * testCase.perSample;
    long delivered = Long.parseLong(responder[0]);
    String initiatorSum = "";
    if (!testCase.isStream) {
      delivered = Math.min(delivered, answers.delivered);
      initiatorSum = ",\"initiator_sum\":" + Integer.toUnsignedString(answers.sum);
    }
    printLine(String.format(
        "{\"done\":{\"samples_ns\":[%s],\"elapsed_ns\":%d,\"attempted\":%d,\"accepted\":%d,\"delivered\":%d,"
            + "\"responder_sum\":%s%s}}",
        samples, last - firstSend, messages, messages, delivered, responder[1], initiatorSum));
  }

  private static void writeHeader(ByteBuffer message, int header) {
    for (int at = HEADER_BYTES - 1; at >= 0; at--, header >>>= 4) {
      message.put(at, (byte) Character.forDigit(header & 15, 16));
    }
  }

  private static String report(BufferedReader reports) throws IOException {
    String line = reports.readLine();
    if (line == null) throw new IOException("the responder exited");
    return line;
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  private static void printLine(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
