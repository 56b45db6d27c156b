/* Declarations of the bare loop: an end of a channel, a mechanism, and helpers. */
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
    int out, in;  /* descriptors for sending and receiving; may be the same */
    int object;   /* shared memory object; -1: none */
    pid_t peer;   /* the process of the other end */
};

/* A mechanism. Each process uses only one end, so state that is not in `struct end` is static in the file. */
struct mechanism {
    const char *name;
    /* Creates both ends, before the fork. */
    void (*open)(struct end *initiator, struct end *responder);
    /* Maps the shared memory, after the fork; may be NULL. */
    void (*connect)(struct end *end);
    /* Allocates memory for messages to send; NULL if any memory is fine. */
    char *(*allocate)(size_t bytes);
    void (*send)(struct end *end, const char *message);
    /* Returns the received message: in the buffer, or in the memory of the sender. */
    char *(*receive)(struct end *end, char *buffer);
    /* Releases the received message; may be NULL. */
    void (*release)(struct end *end);
};

extern const struct mechanism
    eventfd_mechanism, fifo_mechanism, io_uring_msg_ring_mechanism, io_uring_multishot_mechanism,
    io_uring_pipe_mechanism, io_uring_stream_mechanism, memfd_read_mechanism, memfd_remap_mechanism,
    pidfd_getfd_mechanism, pipe_epoll_mechanism, pipe_mechanism, posix_mq_mechanism, process_vm_readv_mechanism,
    ring_futex_lent_mechanism, ring_futex_mechanism, ring_futex_waitv_mechanism, ring_spin_lent_mechanism,
    ring_spin_mechanism, ring_sysv_semaphore_mechanism, socketpair_mechanism, splice_mechanism, sysv_mq_mechanism,
    tcp_mechanism, tcp_zerocopy_mechanism, udp_mechanism, unix_dgram_mechanism, unix_seqpacket_mechanism,
    unix_stream_mechanism, vmsplice_mechanism, vsock_mechanism;

/* Removes the objects of the channel that outlive the processes; NULL if there are none. Set by `open`, and called at the
 * end and on errors, from a signal handler too. */
extern void (*remove_objects)(void);

/* Prints the failed call and the error, and exits. */
_Noreturn void fail(const char *call);

/* Returns the result of a call, or exits if it is negative. */
static inline int check(int result, const char *call) {
    if (result < 0) fail(call);
    return result;
}

/* Allocates private memory with its pages present. Call it after the fork: large blocks would be copied on write. */
char *private_memory(size_t bytes);

/* Creates a shared memory object, with memfd_create(2). */
int shared_object(size_t bytes);

/* Maps a whole object with its pages present, with mmap(2). */
char *map_shared(int object, size_t bytes);

/* Opens a pipe in each direction, with pipe(2). */
void open_pipes(struct end *initiator, struct end *responder);

/* Opens a connected pair of sockets of this type, with socketpair(2). */
void open_pair(int type, struct end *initiator, struct end *responder);

/* Create and map slots for messages in shared memory: before the fork, and after it. */
void open_slots(struct end *initiator, struct end *responder);
void connect_slots(struct end *end);

/* Copy a message into the next slot of the outgoing direction, and out of the next one of the incoming direction. */
void put_in_slot(const char *message, size_t bytes);
void take_from_slot(char *buffer, size_t bytes);

/* Create, map and increment the counters of returned messages: before the fork, after it, and once per message. */
void open_returns(struct end *initiator, struct end *responder);
void connect_returns(struct end *end);
void count_return(void);

/* Allocates memory for the messages of this end, backed by `message_object`. */
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
