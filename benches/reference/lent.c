/* Memory that is passed by reference: the sender lends it, and the receiver returns it by incrementing a counter in shared
 * memory. In a round trip, neither end waits for the counter.
 *
 * calls per channel: memfd_create(2), mmap(2)
 */
#include "roundtrip.h"
#include <stdatomic.h>

/* Counts of the messages that each end has returned, on separate cache lines. */
struct returns {
    _Alignas(128) _Atomic uint32_t initiator;
    _Alignas(128) _Atomic uint32_t responder;
};

int message_object;
static _Atomic uint32_t *returned;

void open_returns(struct end *initiator, struct end *responder) {
    initiator->object = shared_object(sizeof(struct returns));
    responder->object = check(dup(initiator->object), "dup");
}

void connect_returns(struct end *end) {
    struct returns *returns = (struct returns *)map_shared(end->object, sizeof *returns);
    returned = end->initiator ? &returns->initiator : &returns->responder;
}

void count_return(void) {
    uint32_t count = atomic_load_explicit(returned, memory_order_relaxed);
    atomic_store_explicit(returned, count + 1, memory_order_release);
}

char *allocate_object(size_t bytes) {
    message_object = shared_object(bytes);
    return map_shared(message_object, bytes);
}
