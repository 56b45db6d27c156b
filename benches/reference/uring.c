/* io-uring-stream, io-uring-pipe, io-uring-multishot, io-uring-msg-ring: requests in the rings of io_uring(7).
 *
 * calls per message: io_uring_enter(2) to send, and to receive; except for io-uring-multishot, the initiator queues its
 *                     message, and sends it in the call that waits for the answer
 * calls per channel: io_uring_setup(2), mmap(2), io_uring_register(2), pipe(2), socketpair(2); io-uring-msg-ring:
 *                     memfd_create(2), prctl(2) with PR_SET_PTRACER, pidfd_open(2), pidfd_getfd(2)
 */
#include "roundtrip.h"
#include <errno.h>
#include <linux/io_uring.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* The ring of this process. */
static struct {
    int descriptor;
    unsigned queued;  /* requests that are not submitted yet */
    _Atomic unsigned *submission_tail, *completion_head, *completion_tail;
    unsigned submission_mask, completion_mask;
    unsigned *submission_array;
    struct io_uring_sqe *requests;
    struct io_uring_cqe *completions;
} ring;

static void *map_ring(size_t bytes, off_t offset) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.descriptor, offset);
    if (memory == MAP_FAILED) fail("mmap");
    return memory;
}

/* Opens the ring for 4 requests and this many completions. */
static void open_ring(unsigned completions) {
    struct io_uring_params parameters = {
        .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE,
        .cq_entries = completions};
    ring.descriptor = check((int)syscall(__NR_io_uring_setup, 4, &parameters), "io_uring_setup");
    size_t bytes = parameters.cq_off.cqes + parameters.cq_entries * sizeof(struct io_uring_cqe);
    size_t submission_bytes = parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned);
    char *memory = map_ring(bytes > submission_bytes ? bytes : submission_bytes, IORING_OFF_SQ_RING);
    ring.submission_tail = (_Atomic unsigned *)(memory + parameters.sq_off.tail);
    ring.submission_mask = *(unsigned *)(memory + parameters.sq_off.ring_mask);
    ring.submission_array = (unsigned *)(memory + parameters.sq_off.array);
    ring.completion_head = (_Atomic unsigned *)(memory + parameters.cq_off.head);
    ring.completion_tail = (_Atomic unsigned *)(memory + parameters.cq_off.tail);
    ring.completion_mask = *(unsigned *)(memory + parameters.cq_off.ring_mask);
    ring.completions = (struct io_uring_cqe *)(memory + parameters.cq_off.cqes);
    ring.requests = map_ring(parameters.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
}

static void register_with_ring(unsigned what, void *argument, unsigned count, const char *call) {
    check((int)syscall(__NR_io_uring_register, ring.descriptor, what, argument, count), call);
}

/* Registers the descriptors of this end: 0 for sending, 1 for receiving. */
static void register_files(struct end *end) {
    int files[] = {end->out, end->in};
    register_with_ring(IORING_REGISTER_FILES, files, 2, "io_uring_register of files");
}

enum { FILE_OUT, FILE_IN };

/* Queues a request. */
static void queue(struct io_uring_sqe request) {
    unsigned tail = atomic_load_explicit(ring.submission_tail, memory_order_relaxed);
    unsigned place = tail & ring.submission_mask;
    ring.requests[place] = request;
    ring.submission_array[place] = place;
    atomic_store_explicit(ring.submission_tail, tail + 1, memory_order_release);
    ring.queued++;
}

/* Submits the queued requests, and waits for this many completions: 0 or 1. The kernel may not wake a thread that waits for
 * more, because it counts the steps of requests that wait for a file only once they are as many. */
static void enter(unsigned wanted) {
    unsigned flags = wanted > 0 ? IORING_ENTER_GETEVENTS : 0;
    ring.queued -= (unsigned)check(
        (int)syscall(__NR_io_uring_enter, ring.descriptor, ring.queued, wanted, flags, NULL, 0), "io_uring_enter");
}

/* Takes the next completion; false if there is none. */
static bool next_completion(struct io_uring_cqe *completion) {
    unsigned head = atomic_load_explicit(ring.completion_head, memory_order_relaxed);
    if (head == atomic_load_explicit(ring.completion_tail, memory_order_acquire)) return false;
    *completion = ring.completions[head & ring.completion_mask];
    atomic_store_explicit(ring.completion_head, head + 1, memory_order_release);
    return true;
}

/* Submits the queued requests and returns the next completion, waiting if there is none. */
static void await_completion(struct io_uring_cqe *completion) {
    while (ring.queued > 0 || !next_completion(completion)) enter(1);
}

/* The `user_data` of requests. */
enum { SENT, RECEIVED };

enum { SILENT_LINK = IOSQE_IO_LINK | IOSQE_CQE_SKIP_SUCCESS };

/* Submits the queued requests, of which only one completes, and returns its result: of two linked ones, the first if it fails
 * or moves too few bytes, and the second otherwise. */
static int run(uint64_t *completed) {
    struct io_uring_cqe completion;
    await_completion(&completion);
    *completed = completion.user_data;
    return completion.res;
}

static size_t moved(int result, const char *call) {
    if (result > 0) return (size_t)result;
    errno = -result;
    fail(call);
}

/* io-uring-stream */

static void open_stream(struct end *initiator, struct end *responder) {
    open_pair(SOCK_STREAM, initiator, responder);
}

static void connect_stream(struct end *end) {
    open_ring(8);
    register_files(end);
}

static void queue_send(struct end *end, const char *message, unsigned flags) {
    queue((struct io_uring_sqe){
        .opcode = IORING_OP_SEND, .flags = IOSQE_FIXED_FILE | flags, .fd = FILE_OUT, .addr = (uintptr_t)message,
        .len = (unsigned)end->bytes, .msg_flags = MSG_NOSIGNAL | MSG_WAITALL, .user_data = SENT});
}

static void send_stream(struct end *end, const char *message) {
    if (end->initiator) {
        queue_send(end, message, SILENT_LINK);
    } else {
        uint64_t completed;
        queue_send(end, message, 0);
        if (moved(run(&completed), "send") != end->bytes) fail("send");
    }
}

static char *receive_stream(struct end *end, char *buffer) {
    queue((struct io_uring_sqe){
        .opcode = IORING_OP_RECV, .flags = IOSQE_FIXED_FILE, .fd = FILE_IN, .addr = (uintptr_t)buffer,
        .len = (unsigned)end->bytes, .msg_flags = MSG_WAITALL, .user_data = RECEIVED});
    uint64_t completed;
    if (moved(run(&completed), "recv") != end->bytes || completed != RECEIVED) fail("send or recv");
    return buffer;
}

const struct mechanism io_uring_stream_mechanism = {
    .name = "io-uring-stream", .open = open_stream, .connect = connect_stream, .send = send_stream,
    .receive = receive_stream};

/* io-uring-pipe */

/* Registered memory: for received messages, and for those to send. */
enum { BUFFER_IN, BUFFER_OUT, BUFFERS };
static char *received;
static size_t message_bytes;

/* Allocates memory, and registers it. */
static char *register_memory(unsigned index, size_t bytes) {
    char *memory = private_memory(bytes);
    struct iovec place = {.iov_base = memory, .iov_len = bytes};
    struct io_uring_rsrc_update2 update = {.offset = index, .data = (uintptr_t)&place, .nr = 1};
    register_with_ring(IORING_REGISTER_BUFFERS_UPDATE, &update, sizeof update, "io_uring_register of a buffer");
    return memory;
}

static void connect_pipe(struct end *end) {
    open_ring(8);
    register_files(end);
    struct io_uring_rsrc_register none = {.nr = BUFFERS, .flags = IORING_RSRC_REGISTER_SPARSE};
    register_with_ring(IORING_REGISTER_BUFFERS2, &none, sizeof none, "io_uring_register of buffers");
    message_bytes = end->bytes;
    received = register_memory(BUFFER_IN, message_bytes);
}

static char *allocate_registered(size_t bytes) {
    return register_memory(BUFFER_OUT, bytes);
}

static const char *sending; /* the message that the initiator has queued */

static void queue_write(const char *message, size_t bytes, unsigned flags) {
    bool is_received = message >= received && message < received + message_bytes;
    queue((struct io_uring_sqe){
        .opcode = IORING_OP_WRITE_FIXED, .flags = IOSQE_FIXED_FILE | flags, .fd = FILE_OUT, .addr = (uintptr_t)message,
        .len = (unsigned)bytes, .off = (uint64_t)-1, .buf_index = is_received ? BUFFER_IN : BUFFER_OUT,
        .user_data = SENT});
}

static void queue_read(char *buffer, size_t bytes) {
    queue((struct io_uring_sqe){
        .opcode = IORING_OP_READ_FIXED, .flags = IOSQE_FIXED_FILE, .fd = FILE_IN, .addr = (uintptr_t)buffer,
        .len = (unsigned)bytes, .off = (uint64_t)-1, .buf_index = BUFFER_IN, .user_data = RECEIVED});
}

static void write_rest(const char *message, size_t bytes) {
    while (bytes > 0) {
        uint64_t completed;
        queue_write(message, bytes, 0);
        size_t written = moved(run(&completed), "write");
        message += written;
        bytes -= written;
    }
}

static void send_pipe(struct end *end, const char *message) {
    if (end->initiator) {
        sending = message;
    } else {
        write_rest(message, end->bytes);
    }
}

static char *receive_pipe(struct end *end, char *buffer) {
    (void)buffer;
    size_t filled = 0;
    uint64_t completed;
    if (end->initiator) {
        queue_write(sending, end->bytes, SILENT_LINK);
        queue_read(received, end->bytes);
        size_t bytes = moved(run(&completed), "write or read");
        if (completed == SENT) {
            write_rest(sending + bytes, end->bytes - bytes);
        } else {
            filled = bytes;
        }
    }
    while (filled < end->bytes) {
        queue_read(received + filled, end->bytes - filled);
        filled += moved(run(&completed), "read");
    }
    return received;
}

const struct mechanism io_uring_pipe_mechanism = {
    .name = "io-uring-pipe", .open = open_pipes, .connect = connect_pipe, .allocate = allocate_registered,
    .send = send_pipe, .receive = receive_pipe};

/* io-uring-multishot */

/* Provided buffers of 16 KiB. The kernel picks the next one for arriving bytes. */
enum { PROVIDED = 16, PROVIDED_BYTES = 16 * 1024 };
static struct io_uring_buf_ring *provided_ring;
static char *provided;

/* The buffer that the kernel has filled last, and the part of it that is not taken yet. */
static unsigned filled_buffer;
static size_t part_start, part_end;
static bool is_active; /* whether the receive request is */

static void provide(unsigned buffer) {
    struct io_uring_buf *entry = &provided_ring->bufs[provided_ring->tail % PROVIDED];
    entry->addr = (uintptr_t)(provided + buffer * PROVIDED_BYTES);
    entry->len = PROVIDED_BYTES;
    entry->bid = (uint16_t)buffer;
    atomic_store_explicit((_Atomic uint16_t *)&provided_ring->tail, (uint16_t)(provided_ring->tail + 1),
                          memory_order_release);
}

static void connect_multishot(struct end *end) {
    open_ring(2 * PROVIDED);
    register_files(end);
    size_t bytes = PROVIDED * sizeof(struct io_uring_buf);
    provided_ring = (struct io_uring_buf_ring *)map_shared(shared_object(bytes), bytes);
    provided = map_shared(shared_object(PROVIDED * PROVIDED_BYTES), PROVIDED * PROVIDED_BYTES);
    struct io_uring_buf_reg group = {.ring_addr = (uintptr_t)provided_ring, .ring_entries = PROVIDED};
    register_with_ring(IORING_REGISTER_PBUF_RING, &group, 1, "io_uring_register of provided buffers");
    for (unsigned i = 0; i < PROVIDED; i++) provide(i);
}

static void send_multishot(struct end *end, const char *message) {
    uint64_t completed;
    queue_send(end, message, 0);
    /* No bytes arrive before the whole message is sent. */
    if (moved(run(&completed), "send") != end->bytes || completed != SENT) fail("send");
}

/* Waits for the next filled buffer. */
static void await_part(void) {
    for (;;) {
        if (!is_active) {
            queue((struct io_uring_sqe){
                .opcode = IORING_OP_RECV, .flags = IOSQE_FIXED_FILE | IOSQE_BUFFER_SELECT, .fd = FILE_IN,
                .ioprio = IORING_RECV_MULTISHOT, .buf_group = 0, .user_data = RECEIVED});
        }
        struct io_uring_cqe completion;
        await_completion(&completion);
        is_active = (completion.flags & IORING_CQE_F_MORE) != 0;
        if (completion.res == -ENOBUFS) continue; /* no buffer was free */
        part_start = 0;
        part_end = moved(completion.res, "recv");
        filled_buffer = completion.flags >> IORING_CQE_BUFFER_SHIFT;
        return;
    }
}

static char *receive_multishot(struct end *end, char *buffer) {
    for (size_t filled = 0; filled < end->bytes;) {
        if (part_start == part_end) await_part();
        size_t rest = end->bytes - filled, part = part_end - part_start, bytes = part < rest ? part : rest;
        memcpy(buffer + filled, provided + filled_buffer * PROVIDED_BYTES + part_start, bytes);
        filled += bytes;
        part_start += bytes;
        if (part_start == part_end) provide(filled_buffer);
    }
    return buffer;
}

const struct mechanism io_uring_multishot_mechanism = {
    .name = "io-uring-multishot", .open = open_stream, .connect = connect_multishot, .send = send_multishot,
    .receive = receive_multishot};

/* io-uring-msg-ring */

static int other_ring;

/* The result of a request that has no completion unless it fails. */
enum { ANNOUNCED, NOT_SENT };

static void open_slots_and_sockets(struct end *initiator, struct end *responder) {
    open_slots(initiator, responder);
    open_pair(SOCK_STREAM, initiator, responder);
}

/* Exchanges the numbers of the descriptors of both rings, and copies the one of the other process. Unix sockets do not carry
 * such descriptors. */
static void connect_rings(struct end *end) {
    int number;
    char copied = 0;
    connect_slots(end);
    open_ring(2048);
    /* Fails without Yama, which is fine: nothing forbids the access then. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    write_all(end->out, (const char *)&ring.descriptor, sizeof ring.descriptor);
    read_all(end->in, (char *)&number, sizeof number);
    int process = check((int)syscall(__NR_pidfd_open, end->peer, 0), "pidfd_open");
    other_ring = check((int)syscall(__NR_pidfd_getfd, process, number, 0), "pidfd_getfd");
    close(process);
    /* The descriptor stays open until the other end has its copy. */
    write_all(end->out, &copied, 1);
    read_all(end->in, &copied, 1);
}

static void send_announced(struct end *end, const char *message) {
    put_in_slot(message, end->bytes);
    queue((struct io_uring_sqe){
        .opcode = IORING_OP_MSG_RING, .flags = IOSQE_CQE_SKIP_SUCCESS, .fd = other_ring, .addr = IORING_MSG_DATA,
        .off = ANNOUNCED, .user_data = NOT_SENT});
    if (!end->initiator) enter(0);
}

static char *receive_announced(struct end *end, char *buffer) {
    struct io_uring_cqe completion;
    await_completion(&completion);
    if (completion.user_data != ANNOUNCED) fail("message to a ring");
    take_from_slot(buffer, end->bytes);
    return buffer;
}

const struct mechanism io_uring_msg_ring_mechanism = {
    .name = "io-uring-msg-ring", .open = open_slots_and_sockets, .connect = connect_rings, .send = send_announced,
    .receive = receive_announced};
