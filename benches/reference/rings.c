/* ring-futex and ring-spin: minimal rings. Only one message is in flight, so one slot in each direction is enough: a word
 * with the number of sent messages, then the message, which is copied in and out.
 *
 * calls per message: futex(2) to wait for the word to change and to wake the waiter; none when spinning
 * calls per channel: memfd_create(2), mmap(2)
 */
#include "roundtrip.h"
#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>

struct slot {
    _Alignas(128) _Atomic uint32_t sent;
    _Alignas(64) char message[];
};

static struct slot *outgoing, *incoming;
static uint32_t received;

static size_t slot_bytes(size_t bytes) { return (sizeof(struct slot) + bytes + 4095) / 4096 * 4096; }

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
    received++;
    return memcpy(buffer, incoming->message, end->bytes);
}

static uint32_t sent(void) { return atomic_load_explicit(&incoming->sent, memory_order_acquire); }

static void send_futex(struct end *end, const char *message) {
    put(end, message);
    syscall(SYS_futex, &outgoing->sent, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static char *receive_futex(struct end *end, char *buffer) {
    while (sent() == received) syscall(SYS_futex, &incoming->sent, FUTEX_WAIT, received, NULL, NULL, 0);
    return take(end, buffer);
}

static char *receive_spin(struct end *end, char *buffer) {
    while (sent() == received) __builtin_ia32_pause();
    return take(end, buffer);
}

const struct mechanism ring_futex_mechanism = {
    .name = "ring-futex", .open = open_ring, .connect = connect_ring, .send = send_futex, .receive = receive_futex};
const struct mechanism ring_spin_mechanism = {
    .name = "ring-spin", .open = open_ring, .connect = connect_ring, .send = put, .receive = receive_spin};
