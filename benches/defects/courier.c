/*
 * A courier over sockets, with at most one seeded defect:
 *
 *     courier socket|tcp none|DEFECT
 *
 * `socket` is a pair of Unix sockets; `tcp` a connection that sends header and body separately.
 * Compile with: cc -O2 -g -fno-omit-frame-pointer -D_GNU_SOURCE
 */
#include "../external/c/roundtrip.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOINLINE static __attribute__((noinline))

static enum { NONE, EXTRA_SYSCALL, NAGLE, BUFFER_SHRUNK, PAGE_FAULTS, BUSY_LOOP, WRONG_AFFINITY, LARGER_HEADER, FSYNC } defect;
static const char *const defects[] = {"none",      "extra-syscall",  "nagle",         "buffer-shrunk", "page-faults",
                                      "busy-loop", "wrong-affinity", "larger-header", "fsync",         NULL};

struct channel {
    int fd;
    int is_tcp;
    int is_responder;
};

static int write_all(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = write(fd, bytes, length);
        if (sent <= 0) return -1;
        bytes += sent;
        length -= (size_t)sent;
    }
    return 0;
}

static int read_all(int fd, char *bytes, size_t length) {
    while (length > 0) {
        ssize_t received = read(fd, bytes, length);
        if (received <= 0) return -1;
        bytes += received;
        length -= (size_t)received;
    }
    return 0;
}

/* EXTRA_SYSCALL: looks for a changed configuration before each message. */
NOINLINE void check_configuration(void) {
    static struct timespec changed;
    struct stat found;
    if (stat("/etc/hosts", &found) == 0) changed = found.st_mtim;
    (void)changed;
}

/* Keeps a message for a repetition of the answer: in the one place, or with PAGE_FAULTS in a place of its own. */
#define ARCHIVE_BYTES ((size_t)1 << 30)

NOINLINE void keep(const char *message, size_t length) {
    static char *archive;
    static size_t at;
    if (archive == NULL) {
        archive = mmap(NULL, ARCHIVE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (archive == MAP_FAILED) abort();
        madvise(archive, ARCHIVE_BYTES, MADV_NOHUGEPAGE);
    }
    memcpy(archive + at, message, length);
    if (defect == PAGE_FAULTS) at += length;
    if (at + length > ARCHIVE_BYTES) {
        madvise(archive, ARCHIVE_BYTES, MADV_DONTNEED);
        at = 0;
    }
}

/* BUSY_LOOP: spins before it blocks, although the other end needs this processor to answer. */
static volatile int has_answer;

NOINLINE void spin_before_read(void) {
    for (int turn = 0; turn < 4000 && !has_answer; turn++) __asm__ volatile("" ::: "memory");
}

/* WRONG_AFFINITY: the responder moves to the first processor, wherever its peer is. */
NOINLINE void pin_to_first_cpu(void) {
    static int is_pinned;
    cpu_set_t first;
    if (is_pinned) return;
    is_pinned = 1;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    if (sched_setaffinity(0, sizeof first, &first) != 0) abort();
}

/* LARGER_HEADER: pads the header to a page, with room for the contexts of traces. */
#define TRACE_BYTES 4088

/* FSYNC: makes each message durable before it is sent. */
NOINLINE int store_durably(const char *bytes, size_t length) {
    static int journal = -1;
    if (journal < 0) journal = open(".", O_TMPFILE | O_RDWR, 0600);
    return pwrite(journal, bytes, length, 0) == (ssize_t)length && fsync(journal) == 0 ? 0 : -1;
}

static int send_message(struct channel *channel, const char *bytes, size_t length) {
    if (defect == EXTRA_SYSCALL) check_configuration();
    if (defect == FSYNC && store_durably(bytes, length) != 0) return -1;
    if (channel->is_tcp && length > ROUNDTRIP_HEADER_BYTES) {
        if (write_all(channel->fd, bytes, ROUNDTRIP_HEADER_BYTES) != 0) return -1;
        bytes += ROUNDTRIP_HEADER_BYTES;
        length -= ROUNDTRIP_HEADER_BYTES;
    }
    if (defect == LARGER_HEADER) {
        static char whole[TRACE_BYTES + (1 << 20)];
        if (length > 1 << 20) return -1;
        memcpy(whole + TRACE_BYTES, bytes, length);
        return write_all(channel->fd, whole, TRACE_BYTES + length);
    }
    return write_all(channel->fd, bytes, length);
}

static int receive_message(struct channel *channel, char *bytes, size_t length) {
    static char trace[TRACE_BYTES];
    if (defect == BUSY_LOOP) spin_before_read();
    if (defect == LARGER_HEADER && read_all(channel->fd, trace, sizeof trace) != 0) return -1;
    if (read_all(channel->fd, bytes, length) != 0) return -1;
    if (defect == WRONG_AFFINITY && channel->is_responder) pin_to_first_cpu();
    keep(bytes, length);
    return 0;
}

#include "measure.h"

/* Connects two sockets over the loopback. NAGLE: the initiator's delays its messages. */
static int connect_loopback(int ends[2]) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 1) != 0
        || getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        return -1;
    ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(ends[0], (struct sockaddr *)&address, length) != 0) return -1;
    ends[1] = accept(listener, NULL, NULL);
    close(listener);
    int on = 1;
    for (int end = defect == NAGLE ? 1 : 0; end < 2; end++)
        if (setsockopt(ends[end], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) return -1;
    return ends[1] < 0 ? -1 : 0;
}

int main(int count, char **words) {
    struct roundtrip_case request;
    int number = count < 3 ? -1 : number_of(words[2], defects), fds[2];
    if (number < 0 || roundtrip_read_case(&request) != 0) {
        fprintf(stderr, "usage: courier socket|tcp none|DEFECT\n");
        return 1;
    }
    defect = number;
    int is_tcp = strcmp(words[1], "tcp") == 0;
    if ((is_tcp ? connect_loopback(fds) : socketpair(AF_UNIX, SOCK_STREAM, 0, fds)) != 0) {
        roundtrip_failed("cannot connect two sockets");
        return 1;
    }
    if (defect == BUFFER_SHRUNK) {
        int bytes = 4096;
        for (int end = 0; end < 2; end++) {
            setsockopt(fds[end], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
            setsockopt(fds[end], SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
        }
    }
    struct channel initiator = {fds[0], is_tcp, 0}, responder = {fds[1], is_tcp, 1};
    return measure_parts(&request, (struct channel *[2]){&initiator, &responder}, NULL);
}
