/*
 * The measurement of both programs in C: the ends of a case over a channel, which the including file defines before:
 *
 *     struct channel;
 *     static int send_message(struct channel *channel, const char *bytes, size_t length);
 *     static int receive_message(struct channel *channel, char *bytes, size_t length);
 *
 * Both return -1 on failure.
 */
#include <sys/prctl.h>
#include <sys/types.h>
#include <signal.h>
#include <unistd.h>

/* Counts of received messages. The responder sends its counts after each part. */
struct counts {
    uint64_t delivered;
    uint32_t sum;
};

static void count(struct counts *counts, const struct roundtrip_case *request, int64_t number, const char *message) {
    uint32_t header = roundtrip_read_header(message);
    if (number < 0) return;
    counts->sum += header;
    counts->delivered += header == roundtrip_header(request, number);
}

/* Receives messages, and in "roundtrip" returns them, part after part, until the initiator exits. */
static int respond(struct channel *channel, const struct roundtrip_case *request, char *message) {
    int is_stream = strcmp(request->scenario, "stream") == 0;
    int64_t per_sample = (int64_t)roundtrip_messages_per_sample(request);
    int64_t number = -(int64_t)request->warmup_samples * per_sample, end = 0;
    for (;;) {
        struct counts counts = {0, 0};
        for (end += (int64_t)request->samples * per_sample; number < end; number++) {
            if (receive_message(channel, message, request->message_bytes) != 0) return 1;
            count(&counts, request, number, message);
            if (!is_stream) {
                if (send_message(channel, message, request->message_bytes) != 0) return 1;
            } else if ((end - number - 1) % per_sample == 0) {
                uint64_t last_receipt_ns = roundtrip_now_ns();
                if (send_message(channel, (const char *)&last_receipt_ns, sizeof last_receipt_ns) != 0) return 1;
            }
        }
        if (send_message(channel, (const char *)&counts, sizeof counts) != 0) return 1;
    }
}

/* Measures a part that begins with this sample. The first part begins with the warm-up, whose samples are negative. */
static int measure(struct channel *channel, const struct roundtrip_case *request, int64_t sample, char *message,
                   char *answer, uint64_t *samples_ns) {
    struct roundtrip_result result = {0};
    struct counts answers = {0, 0}, responder;
    int is_stream = strcmp(request->scenario, "stream") == 0;
    int64_t per_sample = (int64_t)roundtrip_messages_per_sample(request);
    int64_t first = sample < 0 ? 0 : sample, end = first + (int64_t)request->samples;
    uint64_t first_send_ns = 0, last_receipt_ns = 0;
    for (; sample < end; sample++) {
        uint64_t begin_ns = roundtrip_now_ns();
        if (sample == first) first_send_ns = begin_ns;
        for (int64_t number = sample * per_sample; number < (sample + 1) * per_sample; number++) {
            roundtrip_write_header(message, roundtrip_header(request, number));
            if (send_message(channel, message, request->message_bytes) != 0) return 1;
            if (is_stream) continue;
            if (receive_message(channel, answer, request->message_bytes) != 0) return 1;
            count(&answers, request, number, answer);
            if (sample < 0 && memcmp(answer, message, request->message_bytes) != 0) return 1;
        }
        last_receipt_ns = roundtrip_now_ns();
        if (is_stream && receive_message(channel, (char *)&last_receipt_ns, sizeof last_receipt_ns) != 0) return 1;
        if (sample >= first) samples_ns[sample - first] = last_receipt_ns - begin_ns;
    }
    if (receive_message(channel, (char *)&responder, sizeof responder) != 0) return 1;
    result.elapsed_ns = last_receipt_ns - first_send_ns;
    result.attempted = result.accepted = request->samples * (uint64_t)per_sample;
    result.delivered = is_stream || responder.delivered < answers.delivered ? responder.delivered : answers.delivered;
    result.corrupted = result.attempted - result.delivered;
    result.responder_sum = responder.sum;
    result.initiator_sum = answers.sum;
    roundtrip_done(request, &result, samples_ns);
    return 0;
}

/* Starts the responder and measures a part for each request of the harness. The ends differ: one for each process. */
static int measure_parts(const struct roundtrip_case *request, struct channel *ends[2], const char *facts) {
    char *message = (char *)malloc(request->message_bytes), *answer = (char *)malloc(request->message_bytes);
    uint64_t *samples_ns = (uint64_t *)malloc((request->samples + 1) * sizeof *samples_ns);
    int64_t next = -(int64_t)request->warmup_samples;
    pid_t responder = fork();
    if (message == NULL || answer == NULL || samples_ns == NULL || responder < 0) {
        roundtrip_failed("cannot allocate memory or start the responder");
        return 1;
    }
    memset(message, '.', request->message_bytes);
    if (responder == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        return respond(ends[1], request, answer);
    }
    roundtrip_connected(getpid(), responder, facts);
    while (roundtrip_wait_for_go() == 0) {
        if (measure(ends[0], request, next, message, answer, samples_ns) != 0) {
            roundtrip_failed("the responder exited or returned a different message");
            return 1;
        }
        next = (next < 0 ? 0 : next) + (int64_t)request->samples;
    }
    return 0;
}

/* The number of a name in a list that ends with NULL, or -1. */
static int number_of(const char *name, const char *const names[]) {
    for (int number = 0; names[number] != NULL; number++)
        if (strcmp(names[number], name) == 0) return number;
    return -1;
}
