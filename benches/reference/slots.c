/* eventfd: in each direction, an eventfd and 64 KiB of slots in shared memory, or one slot for larger messages. Also the slots
 * of io-uring-msg-ring.
 *
 * calls per message: write(2), read(2) of 8 bytes; memcpy(3) copies the message into a slot and out of it
 * calls per channel: eventfd(2) with EFD_SEMAPHORE, memfd_create(2), mmap(2)
 *
 * Messages use the slots in turn, as in the harness, because the amount of memory in use decides which cache holds them.
 */
#include "roundtrip.h"
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>

struct direction {
    _Alignas(128) _Atomic uint32_t sent;
    _Alignas(128) _Atomic uint32_t received;
    _Alignas(128) char slots[];
};

static struct direction *outgoing, *incoming;
static size_t slot_bytes;
static uint32_t slot_count;

/* Sets the size and number of slots. Returns the bytes per direction, in whole pages. */
static size_t measure_slots(size_t bytes) {
    slot_bytes = (bytes + 63) / 64 * 64;
    slot_count = slot_bytes < 65536 ? (uint32_t)(65536 / slot_bytes) : 1;
    return (sizeof(struct direction) + slot_count * slot_bytes + 4095) / 4096 * 4096;
}

static char *slot(struct direction *direction, uint32_t number) {
    return direction->slots + number % slot_count * slot_bytes;
}

void open_slots(struct end *initiator, struct end *responder) {
    initiator->object = shared_object(2 * measure_slots(initiator->bytes));
    responder->object = check(dup(initiator->object), "dup");
}

void connect_slots(struct end *end) {
    size_t direction_bytes = measure_slots(end->bytes);
    char *memory = map_shared(end->object, 2 * direction_bytes);
    struct direction *there = (struct direction *)memory;
    struct direction *back = (struct direction *)(memory + direction_bytes);
    outgoing = end->initiator ? there : back;
    incoming = end->initiator ? back : there;
}

void put_in_slot(const char *message, size_t bytes) {
    uint32_t number = atomic_load_explicit(&outgoing->sent, memory_order_relaxed);
    /* Never overwrite a slot that is being read. In a round trip, this never waits. */
    while (number - atomic_load_explicit(&outgoing->received, memory_order_acquire) >= slot_count) sched_yield();
    memcpy(slot(outgoing, number), message, bytes);
    atomic_store_explicit(&outgoing->sent, number + 1, memory_order_release);
}

void take_from_slot(char *buffer, size_t bytes) {
    uint32_t number = atomic_load_explicit(&incoming->received, memory_order_relaxed);
    memcpy(buffer, slot(incoming, number), bytes);
    atomic_store_explicit(&incoming->received, number + 1, memory_order_release);
}

static void open_events(struct end *initiator, struct end *responder) {
    open_slots(initiator, responder);
    initiator->out = check(eventfd(0, EFD_SEMAPHORE), "eventfd");
    initiator->in = check(eventfd(0, EFD_SEMAPHORE), "eventfd");
    responder->out = check(dup(initiator->in), "dup");
    responder->in = check(dup(initiator->out), "dup");
}

static void send_event(struct end *end, const char *message) {
    put_in_slot(message, end->bytes);
    uint64_t one = 1;
    if (write(end->out, &one, sizeof one) != sizeof one) fail("write");
}

static char *receive_event(struct end *end, char *buffer) {
    uint64_t one;
    if (read(end->in, &one, sizeof one) != sizeof one) fail("read");
    take_from_slot(buffer, end->bytes);
    return buffer;
}

const struct mechanism eventfd_mechanism = {
    .name = "eventfd", .open = open_events, .connect = connect_slots, .send = send_event, .receive = receive_event};
