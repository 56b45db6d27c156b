/* ring-futex and ring-spin: the bare loops of a ring. One message is in flight, so a ring of one place each way is
 * enough: a word that says how many messages have been put there, and the message behind it, copied in and out.
 *
 * calls of a message: futex(2) to sleep until the word changes and to wake who sleeps there, none when spinning
 * calls of a channel: memfd_create(2), mmap(2)
 */
#include "roundtrip.h"
#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>

struct place {
    _Alignas(128) _Atomic uint32_t sent;
    _Alignas(64) char message[];
};

static struct place *outgoing, *incoming;
static uint32_t received;

static size_t place_bytes(size_t bytes) { return (sizeof(struct place) + bytes + 4095) / 4096 * 4096; }

static void open_ring(struct end *initiator, struct end *responder) {
    initiator->object = shared_object(2 * place_bytes(initiator->bytes));
    responder->object = check(dup(initiator->object), "dup");
    /* Descriptors that close_end can close. */
    initiator->out = initiator->in = check(dup(initiator->object), "dup");
    responder->out = responder->in = check(dup(initiator->object), "dup");
}

static void connect_ring(struct end *end) {
    char *memory = map_shared(end->object, 2 * place_bytes(end->bytes));
    struct place *there = (struct place *)memory, *back = (struct place *)(memory + place_bytes(end->bytes));
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
