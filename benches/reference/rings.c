/* ring-futex, ring-futex-waitv, ring-spin and ring-sysv-semaphore: minimal rings. Only one message is in flight, so one slot in each direction is enough: a word
 * with the number of sent messages, then the message, which is copied in and out.
 *
 * ring-futex-lent and ring-spin-lent: the slot has the offset of the message, which both ends have mapped. The responder sends
 * the same offset back.
 *
 * calls per message: futex(2) or futex_waitv(2) to wait for the word to change, futex(2) to wake the waiter; semop(2) to
 *                     wait and to wake; none when spinning
 * calls per channel: memfd_create(2), mmap(2); semget(2), semctl(2)
 */
#include "roundtrip.h"
#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/syscall.h>

struct slot {
    _Alignas(128) _Atomic uint32_t sent;
    _Alignas(64) char message[];
};

static struct slot *outgoing, *incoming;
static uint32_t received;

static size_t pages(size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

static size_t slot_bytes(size_t bytes) { return pages(sizeof(struct slot) + bytes); }

static void open_ring(struct end *initiator, struct end *responder) {
    initiator->object = shared_object(2 * slot_bytes(initiator->bytes));
    responder->object = check(dup(initiator->object), "dup");
    /* Only for close_end. */
    initiator->out = initiator->in = check(dup(initiator->object), "dup");
    responder->out = responder->in = check(dup(initiator->object), "dup");
}

static void connect_ring(struct end *end) {
    char *memory = map_shared(end->object, 2 * slot_bytes(end->bytes));
    struct slot *there = (struct slot *)memory, *back = (struct slot *)(memory + slot_bytes(end->bytes));
    outgoing = end->initiator ? there : back;
    incoming = end->initiator ? back : there;
}

static void put(struct end *end, const char *message) {
    memcpy(outgoing->message, message, end->bytes);
    atomic_store_explicit(&outgoing->sent, atomic_load_explicit(&outgoing->sent, memory_order_relaxed) + 1,
                          memory_order_release);
}

static char *take(struct end *end, char *buffer) {
    return memcpy(buffer, incoming->message, end->bytes);
}

static uint32_t sent(void) { return atomic_load_explicit(&incoming->sent, memory_order_acquire); }

static void wake(void) { syscall(SYS_futex, &outgoing->sent, FUTEX_WAKE, 1, NULL, NULL, 0); }

static void sleep_until_sent(void) {
    while (sent() == received) syscall(SYS_futex, &incoming->sent, FUTEX_WAIT, received, NULL, NULL, 0);
    received++;
}

static char *receive_futex_waitv(struct end *end, char *buffer) {
    struct futex_waitv word = {.val = received, .uaddr = (uintptr_t)&incoming->sent, .flags = FUTEX_32};
    while (sent() == received) syscall(SYS_futex_waitv, &word, 1, 0, NULL, 0);
    received++;
    return take(end, buffer);
}

/* The set has a semaphore for each direction. */
static int semaphores;

static void remove_semaphores(void) { semctl(semaphores, 0, IPC_RMID); }

static void open_semaphore_ring(struct end *initiator, struct end *responder) {
    open_ring(initiator, responder);
    semaphores = check(semget(IPC_PRIVATE, 2, IPC_CREAT | 0600), "semget");
    remove_objects = remove_semaphores;
}

static void operate(bool there, short change) {
    struct sembuf operation = {.sem_num = there ? 0 : 1, .sem_op = change};
    check(semop(semaphores, &operation, 1), "semop");
}

static void send_semaphore(struct end *end, const char *message) {
    put(end, message);
    operate(end->initiator, 1);
}

static char *receive_semaphore(struct end *end, char *buffer) {
    operate(!end->initiator, -1);
    return take(end, buffer);
}

static void spin_until_sent(void) {
    while (sent() == received) __builtin_ia32_pause();
    received++;
}

static void send_futex(struct end *end, const char *message) {
    put(end, message);
    wake();
}

static char *receive_futex(struct end *end, char *buffer) {
    sleep_until_sent();
    return take(end, buffer);
}

static char *receive_spin(struct end *end, char *buffer) {
    spin_until_sent();
    return take(end, buffer);
}

/* The slots, then the message of each end. */
static char *lent_memory;
static bool is_initiator;

static void open_lent(struct end *initiator, struct end *responder) {
    size_t bytes = initiator->bytes;
    initiator->object = shared_object(2 * slot_bytes(bytes) + 2 * pages(bytes));
    responder->object = check(dup(initiator->object), "dup");
    initiator->out = initiator->in = check(dup(initiator->object), "dup");
    responder->out = responder->in = check(dup(initiator->object), "dup");
}

static void connect_lent(struct end *end) {
    size_t slots_bytes = 2 * slot_bytes(end->bytes);
    char *memory = map_shared(end->object, slots_bytes + 2 * pages(end->bytes));
    struct slot *there = (struct slot *)memory, *back = (struct slot *)(memory + slots_bytes / 2);
    outgoing = end->initiator ? there : back;
    incoming = end->initiator ? back : there;
    lent_memory = memory + slots_bytes;
    is_initiator = end->initiator;
}

static char *allocate_lent(size_t bytes) { return lent_memory + (is_initiator ? 0 : pages(bytes)); }

static void put_lent(struct end *end, const char *message) {
    (void)end;
    size_t offset = (size_t)(message - lent_memory);
    memcpy(outgoing->message, &offset, sizeof offset);
    atomic_store_explicit(&outgoing->sent, atomic_load_explicit(&outgoing->sent, memory_order_relaxed) + 1,
                          memory_order_release);
}

static void send_lent_futex(struct end *end, const char *message) {
    put_lent(end, message);
    wake();
}

static char *take_lent(void) {
    size_t offset;
    memcpy(&offset, incoming->message, sizeof offset);
    return lent_memory + offset;
}

static char *receive_lent_futex(struct end *end, char *buffer) {
    (void)end, (void)buffer;
    sleep_until_sent();
    return take_lent();
}

static char *receive_lent_spin(struct end *end, char *buffer) {
    (void)end, (void)buffer;
    spin_until_sent();
    return take_lent();
}

const struct mechanism ring_futex_mechanism = {
    .name = "ring-futex", .open = open_ring, .connect = connect_ring, .send = send_futex, .receive = receive_futex};
const struct mechanism ring_futex_waitv_mechanism = {
    .name = "ring-futex-waitv", .open = open_ring, .connect = connect_ring, .send = send_futex,
    .receive = receive_futex_waitv};
const struct mechanism ring_sysv_semaphore_mechanism = {
    .name = "ring-sysv-semaphore", .open = open_semaphore_ring, .connect = connect_ring, .send = send_semaphore,
    .receive = receive_semaphore};
const struct mechanism ring_spin_mechanism = {
    .name = "ring-spin", .open = open_ring, .connect = connect_ring, .send = put, .receive = receive_spin};
const struct mechanism ring_futex_lent_mechanism = {
    .name = "ring-futex-lent", .open = open_lent, .connect = connect_lent, .allocate = allocate_lent,
    .send = send_lent_futex, .receive = receive_lent_futex};
const struct mechanism ring_spin_lent_mechanism = {
    .name = "ring-spin-lent", .open = open_lent, .connect = connect_lent, .allocate = allocate_lent,
    .send = put_lent, .receive = receive_lent_spin};
