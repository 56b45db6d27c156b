/* Memory that is passed by reference: the sender lends it, the receiver gives it back by counting in memory that both
 * share. In a round trip, neither end waits for that count.
 *
 * calls of a channel: memfd_create(2), mmap(2)
 */
#include "roundtrip.h"
#include <stdatomic.h>

/* How many messages each end has given back, on cache lines of their own. */
struct returns {
    _Alignas(128) _Atomic uint32_t of_initiator;
    _Alignas(128) _Atomic uint32_t of_responder;
};

int message_object;
static _Atomic uint32_t *returned;

void open_returns(struct end *initiator, struct end *responder) {
    initiator->object = shared_object(sizeof(struct returns));
    responder->object = check(dup(initiator->object), "dup");
}

void connect_returns(struct end *end) {
    struct returns *returns = (struct returns *)map_shared(end->object, sizeof *returns);
    returned = end->initiator ? &returns->of_initiator : &returns->of_responder;
}

void give_back(void) {
    uint32_t count = atomic_load_explicit(returned, memory_order_relaxed);
    atomic_store_explicit(returned, count + 1, memory_order_release);
}

char *allocate_object(size_t bytes) {
    message_object = shared_object(bytes);
    return map_shared(message_object, bytes);
}
