/*
 * A courier over rings in shared memory, with at most one seeded defect:
 *
 *     ring futex|paced none|DEFECT
 *
 * Each end spins for a short time, and then sleeps until it is woken. `paced` waits 20 microseconds before each message.
 * Compile with: cc -O2 -g -fno-omit-frame-pointer -D_GNU_SOURCE -pthread
 */
#include "../external/c/roundtrip.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOINLINE static __attribute__((noinline))
#define SLOTS 16
#define SLOT_BYTES 4096
#define SPINS 40000

static enum { NONE, WAKE_WITHOUT_WAITER, CONVOY, FALSE_SHARING, TIMER_SLACK } defect;
static const char *const defects[] = {"none", "wake-without-waiter", "convoy", "false-sharing", "timer-slack", NULL};
static int is_paced;

/* A number that one end increases and the other waits for. */
struct event {
    _Alignas(128) _Atomic uint32_t number;
    _Atomic uint32_t is_waiting;
};

struct ring {
    struct event filled, emptied;
    /* CONVOY: of both ends. */
    _Alignas(128) pthread_mutex_t mutex;
    _Alignas(128) char slots[SLOTS][SLOT_BYTES];
};

/* The words that each end has sent or received: on lines of their own, or with FALSE_SHARING on one. */
struct words {
    _Alignas(128) volatile uint64_t apart[2][16];
    _Alignas(128) volatile uint64_t together[2];
};

struct shared {
    struct ring rings[2];
    struct words words;
};

struct channel {
    struct ring *out, *in;
    volatile uint64_t *words;
};

static long futex(_Atomic uint32_t *word, int operation, uint32_t value) {
    return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

/* Waits until the number of the event differs from this one. */
NOINLINE void wait_for(struct event *event, uint32_t old) {
    for (int turn = 0; turn < SPINS && !is_paced; turn++) {
        if (atomic_load_explicit(&event->number, memory_order_acquire) != old) return;
        __asm__ volatile("" ::: "memory");
    }
    atomic_store(&event->is_waiting, 1);
    while (atomic_load(&event->number) == old) futex(&event->number, FUTEX_WAIT, old);
    atomic_store(&event->is_waiting, 0);
}

/* Waits before a message, so that a slow receiver keeps up. TIMER_SLACK: the system may wait longer. */
NOINLINE void pace(void) {
    struct timespec interval = {0, 20000};
    nanosleep(&interval, NULL);
}

static void advance(struct event *event) {
    atomic_fetch_add(&event->number, 1);
    if (defect == WAKE_WITHOUT_WAITER || atomic_load(&event->is_waiting)) futex(&event->number, FUTEX_WAKE, 1);
}

NOINLINE void count_words(volatile uint64_t *words, size_t length) {
    for (size_t word = 0; word < length / 8; word++) *words += 1;
}

/* Copies a message into or out of a slot, with CONVOY under the ring's mutex. */
static void copy_slot(struct ring *ring, char *to, const char *from, size_t length) {
    if (defect == CONVOY) pthread_mutex_lock(&ring->mutex);
    memcpy(to, from, length);
    if (defect == CONVOY) pthread_mutex_unlock(&ring->mutex);
}

static int send_message(struct channel *channel, const char *bytes, size_t length) {
    struct ring *ring = channel->out;
    uint32_t filled = atomic_load_explicit(&ring->filled.number, memory_order_relaxed), emptied;
    if (is_paced) pace();
    while (filled - (emptied = atomic_load_explicit(&ring->emptied.number, memory_order_acquire)) == SLOTS)
        wait_for(&ring->emptied, emptied);
    copy_slot(ring, ring->slots[filled % SLOTS], bytes, length);
    advance(&ring->filled);
    count_words(channel->words, length);
    return 0;
}

static int receive_message(struct channel *channel, char *bytes, size_t length) {
    struct ring *ring = channel->in;
    uint32_t emptied = atomic_load_explicit(&ring->emptied.number, memory_order_relaxed);
    if (atomic_load_explicit(&ring->filled.number, memory_order_acquire) == emptied) wait_for(&ring->filled, emptied);
    copy_slot(ring, bytes, ring->slots[emptied % SLOTS], length);
    advance(&ring->emptied);
    count_words(channel->words, length);
    return 0;
}

#include "measure.h"

int main(int count, char **words) {
    struct roundtrip_case request;
    int number = count < 3 ? -1 : number_of(words[2], defects);
    if (number < 0 || roundtrip_read_case(&request) != 0) {
        fprintf(stderr, "usage: ring futex|paced none|DEFECT\n");
        return 1;
    }
    if (request.message_bytes > SLOT_BYTES) {
        roundtrip_unsupported("messages have at most 4096 bytes");
        return 0;
    }
    defect = number;
    is_paced = strcmp(words[1], "paced") == 0;
    if (is_paced && defect != TIMER_SLACK) prctl(PR_SET_TIMERSLACK, 1);
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        roundtrip_failed("cannot allocate shared memory");
        return 1;
    }
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    struct channel ends[2];
    for (int end = 0; end < 2; end++) {
        pthread_mutex_init(&shared->rings[end].mutex, &attributes);
        ends[end] = (struct channel){&shared->rings[end], &shared->rings[1 - end], shared->words.apart[end]};
        if (defect == FALSE_SHARING) ends[end].words = &shared->words.together[end];
    }
    return measure_parts(&request, (struct channel *[2]){&ends[0], &ends[1]}, NULL);
}
