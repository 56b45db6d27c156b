/* What the parts of the bare loop share: an end of a channel, what a mechanism can do, a few helpers. */
#ifndef ROUNDTRIP_H
#define ROUNDTRIP_H

#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

/* One end of a channel. */
struct end {
    size_t bytes; /* of a message */
    bool initiator;
    int out, in;  /* descriptors to send to and to receive from, which may be one */
    int object;   /* memory that both ends share, before it is mapped; -1: none */
    pid_t peer;   /* the process of the other end */
};

/* One mechanism. An end of it is used by one process only, so what is not in the end is static in its file. */
struct mechanism {
    const char *name;
    /* Makes both ends, in the process that then forks. */
    void (*open)(struct end *initiator, struct end *responder);
    /* Maps what is shared, in the process that uses it; may be NULL. */
    void (*connect)(struct end *end);
    /* Memory for messages to be sent; NULL: any. */
    char *(*allocate)(size_t bytes);
    void (*send)(struct end *end, const char *message);
    /* Returns where the message is: in the buffer, or where the sender put it. */
    char *(*receive)(struct end *end, char *buffer);
    /* Lets go of what was received; may be NULL. */
    void (*release)(struct end *end);
};

extern const struct mechanism
    eventfd_mechanism, fifo_mechanism, memfd_read_mechanism, memfd_remap_mechanism, pipe_mechanism,
    pipe_epoll_mechanism, posix_mq_mechanism, process_vm_readv_mechanism, ring_futex_mechanism, ring_spin_mechanism,
    socketpair_mechanism, splice_mechanism, tcp_mechanism, udp_mechanism, unix_dgram_mechanism,
    unix_seqpacket_mechanism, unix_stream_mechanism, vmsplice_mechanism;

/* Says what failed, and why, and ends the process. */
_Noreturn void fail(const char *what);

/* Ends the process unless a call that should return zero or more did. Returns what it did. */
static inline int check(int result, const char *what) {
    if (result < 0) fail(what);
    return result;
}

/* Memory of this process, present. Large ones would be copied on write if they were made before the fork. */
char *private_memory(size_t bytes);

/* A shared memory object of this size, memfd_create(2). */
int shared_object(size_t bytes);

/* Maps all of it, its pages present, mmap(2). */
char *map_shared(int object, size_t bytes);

/* Two pipes, one each way, pipe(2). */
void open_pipes(struct end *initiator, struct end *responder);

/* A connected pair of sockets of this type, socketpair(2). */
void open_pair(int type, struct end *initiator, struct end *responder);

/* The page that counts what each end gives back: made before the fork, mapped after it, raised by one. */
void open_returns(struct end *initiator, struct end *responder);
void connect_returns(struct end *end);
void give_back(void);

/* Memory with an object behind it, for the messages of this end, and that object. */
char *allocate_object(size_t bytes);
extern int message_object;

static inline void write_all(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(descriptor, bytes, length);
        if (written < 0) fail("write");
        bytes += written;
        length -= (size_t)written;
    }
}

static inline void read_all(int descriptor, char *bytes, size_t length) {
    while (length > 0) {
        ssize_t got = read(descriptor, bytes, length);
        if (got <= 0) fail("read");
        bytes += got;
        length -= (size_t)got;
    }
}

#endif
