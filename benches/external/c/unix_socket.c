/*
 * An external transport in C: two processes over a pair of Unix sockets.
 *
 *     cc -O2 -std=c11 -D_POSIX_C_SOURCE=200809L -o unix_socket unix_socket.c
 */
#include "roundtrip.h"

#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

/* All of it, or -1. */
static int send_all(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = write(fd, bytes, length);
        if (sent <= 0) return -1;
        bytes += sent;
        length -= (size_t)sent;
    }
    return 0;
}

static int receive_all(int fd, char *bytes, size_t length) {
    while (length > 0) {
        ssize_t received = read(fd, bytes, length);
        if (received <= 0) return -1;
        bytes += received;
        length -= (size_t)received;
    }
    return 0;
}

/* What the responder has seen of a part, sent back over the socket when all of it is there. */
struct seen {
    uint64_t delivered;
    uint64_t corrupted;
    uint32_t sum;
};

static void count(struct seen *seen, const struct roundtrip_case *asked, int64_t number, const char *message) {
    uint32_t head = roundtrip_read_head(message);
    if (number < 0) return;
    seen->sum += head;
    if (head == roundtrip_head(asked, number)) seen->delivered++;
    else seen->corrupted++;
}

/* Sends back what it receives, part after part, until the initiator's socket is closed. */
static int respond(int fd, const struct roundtrip_case *asked, char *message) {
    int is_stream = strcmp(asked->scenario, "stream") == 0;
    int64_t per_sample = (int64_t)roundtrip_messages_per_sample(asked);
    int64_t number = -(int64_t)asked->warmup_samples * per_sample, end = 0;
    for (;;) {
        struct seen seen = {0};
        for (end += (int64_t)asked->samples * per_sample; number < end; number++) {
            if (receive_all(fd, message, asked->message_bytes) != 0) return 1;
            count(&seen, asked, number, message);
            if (!is_stream) {
                if (send_all(fd, message, asked->message_bytes) != 0) return 1;
            } else if ((end - number - 1) % per_sample == 0) {
                uint64_t last_receipt_ns = roundtrip_now_ns();
                if (send_all(fd, (const char *)&last_receipt_ns, sizeof last_receipt_ns) != 0) return 1;
            }
        }
        if (send_all(fd, (const char *)&seen, sizeof seen) != 0) return 1;
    }
}

/* Measures the samples from this one on; the first part begins with those of the warm-up, which are below 0. */
static int measure(int fd, const struct roundtrip_case *asked, int64_t sample, char *message, char *answer,
                   uint64_t *samples_ns) {
    struct roundtrip_result result = {0};
    struct seen answers = {0}, seen;
    int is_stream = strcmp(asked->scenario, "stream") == 0;
    int64_t per_sample = (int64_t)roundtrip_messages_per_sample(asked);
    int64_t first = sample < 0 ? 0 : sample, end = first + (int64_t)asked->samples;
    uint64_t first_send_ns = 0, last_receipt_ns = 0;
    for (; sample < end; sample++) {
        uint64_t begin_ns = roundtrip_now_ns();
        if (sample == first) first_send_ns = begin_ns;
        for (int64_t number = sample * per_sample; number < (sample + 1) * per_sample; number++) {
            roundtrip_write_head(message, roundtrip_head(asked, number));
            if (send_all(fd, message, asked->message_bytes) != 0) return 1;
            if (is_stream) continue;
            if (receive_all(fd, answer, asked->message_bytes) != 0) return 1;
            count(&answers, asked, number, answer);
            if (sample < 0 && memcmp(answer, message, asked->message_bytes) != 0) return 1;
        }
        last_receipt_ns = roundtrip_now_ns();
        if (is_stream && receive_all(fd, (char *)&last_receipt_ns, sizeof last_receipt_ns) != 0) return 1;
        if (sample >= first) samples_ns[sample - first] = last_receipt_ns - begin_ns;
    }
    if (receive_all(fd, (char *)&seen, sizeof seen) != 0) return 1;
    result.elapsed_ns = last_receipt_ns - first_send_ns;
    result.attempted = result.accepted = asked->samples * (uint64_t)per_sample;
    result.delivered = is_stream || seen.delivered < answers.delivered ? seen.delivered : answers.delivered;
    result.corrupted = result.attempted - result.delivered;
    result.responder_sum = seen.sum;
    result.initiator_sum = answers.sum;
    roundtrip_done(asked, &result, samples_ns);
    return 0;
}

/* Measures a part whenever it is asked to. */
static int initiate(int fd, const struct roundtrip_case *asked, char *message, char *answer) {
    uint64_t *samples_ns = malloc((asked->samples + 1) * sizeof *samples_ns);
    int64_t next = -(int64_t)asked->warmup_samples;
    if (samples_ns == NULL) return 1;
    while (roundtrip_wait_for_go() == 0) {
        if (measure(fd, asked, next, message, answer, samples_ns) != 0) return 1;
        next = (next < 0 ? 0 : next) + (int64_t)asked->samples;
    }
    return 0;
}

int main(void) {
    struct roundtrip_case asked;
    int ends[2];
    if (roundtrip_read_case(&asked) != 0) return 1;
    if (strcmp(asked.mode, "2proc") != 0) {
        roundtrip_unsupported("it has two processes: expected 2proc");
        return 0;
    }
    if (asked.window != 1) {
        roundtrip_unsupported("it has one message on its way: expected a window of 1");
        return 0;
    }
    char *message = calloc(1, asked.message_bytes), *answer = calloc(1, asked.message_bytes);
    if (message == NULL || answer == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        roundtrip_failed("no memory, or no pair of sockets");
        return 1;
    }
    memset(message, '.', asked.message_bytes);
    pid_t responder = fork();
    if (responder < 0) {
        roundtrip_failed("no process for the responder");
        return 1;
    }
    if (responder == 0) {
        close(ends[0]);
        return respond(ends[1], &asked, answer);
    }
    close(ends[1]);
    roundtrip_connected(getpid(), responder, NULL);
    if (initiate(ends[0], &asked, message, answer) != 0) {
        roundtrip_failed("the responder is gone, or sent back something else");
        return 1;
    }
    return 0;
}
