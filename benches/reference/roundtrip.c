/* The bare loop that the harness is compared with: two processes on one or two processors, with CLOCK_MONOTONIC around each
 * operation. An operation is one round trip, or a batch if one is too short. Prints the times per round trip in
 * nanoseconds, in order.
 *
 * usage: roundtrip MECHANISM CPU_INITIATOR CPU_RESPONDER BYTES WARMUP OPERATIONS BATCH
 * build: cc -O2 -o roundtrip *.c
 *
 * The comparison measures the cost of the harness, not the effect of touching messages. Between two operations, outside
 * the timed section, this loop therefore stamps every page of the message and checks the answer like the harness does: both
 * bring the message into the cache and make the pages of a mapping present.
 *
 * calls for all mechanisms: fork(2), sched_setaffinity(2), prctl(2), clock_gettime(2)
 * calls for single mechanisms: streams.c, ready.c, records.c, slots.c, pages.c, objects.c, lent.c, rings.c, uring.c
 */
#include "roundtrip.h"
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

static const struct mechanism *const mechanisms[] = {
    &eventfd_mechanism, &fifo_mechanism, &io_uring_msg_ring_mechanism, &io_uring_multishot_mechanism,
    &io_uring_pipe_mechanism, &io_uring_stream_mechanism, &memfd_read_mechanism, &memfd_remap_mechanism,
    &pidfd_getfd_mechanism, &pipe_epoll_mechanism, &pipe_mechanism, &posix_mq_mechanism, &process_vm_readv_mechanism,
    &ring_futex_lent_mechanism, &ring_futex_mechanism, &ring_futex_waitv_mechanism, &ring_spin_lent_mechanism,
    &ring_spin_mechanism, &ring_sysv_semaphore_mechanism, &socketpair_mechanism, &splice_mechanism,
    &sysv_mq_mechanism, &tcp_mechanism, &tcp_zerocopy_mechanism, &udp_mechanism, &unix_dgram_mechanism,
    &unix_seqpacket_mechanism, &unix_stream_mechanism, &vmsplice_mechanism, &vsock_mechanism,
};

static uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    check(sched_setaffinity(0, sizeof set, &set), "sched_setaffinity");
}

/* Writes the number of the operation at the start of every page and at the end. */
static void stamp(char *message, size_t bytes, uint64_t number) {
    const size_t page = 4096;
    for (size_t at = 0; at < bytes; at += page) {
        size_t rest = bytes - at;
        memcpy(message + at, &number, rest < sizeof number ? rest : sizeof number);
    }
    if (bytes >= sizeof number) memcpy(message + bytes - sizeof number, &number, sizeof number);
}

static char *message_memory(const struct mechanism *mechanism, size_t bytes) {
    char *memory = mechanism->allocate == NULL ? private_memory(bytes) : mechanism->allocate(bytes);
    for (size_t i = 0; i < bytes; i++) memory[i] = (char)(i ^ (i >> 8) ^ (i >> 16));
    return memory;
}

static void initiate(const struct mechanism *mechanism, struct end *end, long warmup, long operations, long batch) {
    char *message = message_memory(mechanism, end->bytes), *buffer = private_memory(end->bytes);
    uint64_t *times = (uint64_t *)private_memory((size_t)operations * sizeof *times);
    for (long i = -warmup; i < operations; i++) {
        stamp(message, end->bytes, (uint64_t)(i + warmup));
        const char *answer = message;
        uint64_t start = now_ns();
        for (long j = 0; j < batch; j++) {
            mechanism->send(end, message);
            answer = mechanism->receive(end, buffer);
        }
        uint64_t took = now_ns() - start;
        if (i >= 0) times[i] = took / (uint64_t)batch;
        if (memcmp(answer, message, end->bytes) != 0) {
            fprintf(stderr, "operation %ld: the answer differs from the message\n", i);
            exit(1);
        }
        if (mechanism->release != NULL) mechanism->release(end);
    }
    for (long i = 0; i < operations; i++) printf("%llu\n", (unsigned long long)times[i]);
}

static _Noreturn void respond(const struct mechanism *mechanism, struct end *end) {
    char *buffer = message_memory(mechanism, end->bytes);
    for (;;) mechanism->send(end, mechanism->receive(end, buffer));
}

/* Exits if the responder dies, because not every mechanism reports that the other end is gone. */
static void responder_died(int signal) {
    (void)signal;
    static const char text[] = "the responder died\n";
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    if (remove_objects != NULL) remove_objects();
    _exit(1);
}

static void close_end(const struct end *end) {
    close(end->in);
    if (end->out != end->in) close(end->out);
    if (end->object >= 0) close(end->object);
}

int main(int count, char **arguments) {
    const struct mechanism *mechanism = NULL;
    for (size_t i = 0; count == 8 && i < sizeof mechanisms / sizeof *mechanisms; i++) {
        if (strcmp(mechanisms[i]->name, arguments[1]) == 0) mechanism = mechanisms[i];
    }
    if (mechanism == NULL) {
        fprintf(stderr, "usage: roundtrip MECHANISM CPU_INITIATOR CPU_RESPONDER BYTES WARMUP OPERATIONS BATCH\n"
                        "mechanisms:");
        for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) {
            fprintf(stderr, " %s", mechanisms[i]->name);
        }
        fputc('\n', stderr);
        return 2;
    }
    size_t bytes = strtoul(arguments[4], NULL, 10);
    long warmup = atol(arguments[5]), operations = atol(arguments[6]), batch = atol(arguments[7]);

    /* Pin first: each end allocates its memory on the processor that it runs on. */
    pin(atoi(arguments[2]));
    struct end initiator = {.bytes = bytes, .initiator = true, .object = -1};
    struct end responder = {.bytes = bytes, .initiator = false, .object = -1};
    mechanism->open(&initiator, &responder);
    signal(SIGCHLD, responder_died);
    pid_t parent = getpid();
    pid_t child = check(fork(), "fork");
    if (child == 0) {
        check(prctl(PR_SET_PDEATHSIG, SIGKILL), "prctl");
        if (getppid() != parent) return 1;
        pin(atoi(arguments[3]));
        close_end(&initiator);
        responder.peer = parent;
        if (mechanism->connect != NULL) mechanism->connect(&responder);
        respond(mechanism, &responder);
    }
    close_end(&responder);
    initiator.peer = child;
    if (mechanism->connect != NULL) mechanism->connect(&initiator);
    initiate(mechanism, &initiator, warmup, operations, batch);
    signal(SIGCHLD, SIG_DFL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    if (remove_objects != NULL) remove_objects();
    return 0;
}
