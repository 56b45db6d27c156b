/*
 * An external transport in C, also valid C++: two processes over a pair of Unix sockets. To measure your library, replace the
 * parts marked "Replace". Protocol: https://github.com/roundtrip-ipc/roundtrip/blob/main/benches/external/PROTOCOL.md
 *
 * Compile with: cc -O2 -std=c11 -D_POSIX_C_SOURCE=200809L
 *           or: c++ -O2 -std=c++17
 */
#include "roundtrip.h"

#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

/* Replace: these two functions send and receive with your library. They return -1 on failure. */
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

/* Counts of received messages. The responder sends its counts over the socket after each part. */
struct counts {
    uint64_t delivered;
    uint64_t corrupted;
    uint32_t sum;
};

static void count(struct counts *counts, const struct roundtrip_case *request, int64_t number, const char *message) {
    uint32_t header = roundtrip_read_header(message);
    if (number < 0) return;
    counts->sum += header;
    if (header == roundtrip_header(request, number)) counts->delivered++;
    else counts->corrupted++;
}

/* Receives messages, and in "roundtrip" returns them, part after part, until the initiator closes its socket. */
static int respond(int fd, const struct roundtrip_case *request, char *message) {
    int is_stream = strcmp(request->scenario, "stream") == 0;
    int64_t per_sample = (int64_t)roundtrip_messages_per_sample(request);
    int64_t number = -(int64_t)request->warmup_samples * per_sample, end = 0;
    for (;;) {
        struct counts counts = {0};
        for (end += (int64_t)request->samples * per_sample; number < end; number++) {
            if (receive_all(fd, message, request->message_bytes) != 0) return 1;
            count(&counts, request, number, message);
            if (!is_stream) {
                if (send_all(fd, message, request->message_bytes) != 0) return 1;
            } else if ((end - number - 1) % per_sample == 0) {
                uint64_t last_receipt_ns = roundtrip_now_ns();
                if (send_all(fd, (const char *)&last_receipt_ns, sizeof last_receipt_ns) != 0) return 1;
            }
        }
        if (send_all(fd, (const char *)&counts, sizeof counts) != 0) return 1;
    }
}

/* Measures a part that begins with this sample. The first part begins with the warm-up, whose samples are negative. */
static int measure(int fd, const struct roundtrip_case *request, int64_t sample, char *message, char *answer,
                   uint64_t *samples_ns) {
    struct roundtrip_result result = {0};
    struct counts answers = {0}, responder;
    int is_stream = strcmp(request->scenario, "stream") == 0;
    int64_t per_sample = (int64_t)roundtrip_messages_per_sample(request);
    int64_t first = sample < 0 ? 0 : sample, end = first + (int64_t)request->samples;
    uint64_t first_send_ns = 0, last_receipt_ns = 0;
    for (; sample < end; sample++) {
        uint64_t begin_ns = roundtrip_now_ns();
        if (sample == first) first_send_ns = begin_ns;
        for (int64_t number = sample * per_sample; number < (sample + 1) * per_sample; number++) {
            roundtrip_write_header(message, roundtrip_header(request, number));
            if (send_all(fd, message, request->message_bytes) != 0) return 1;
            if (is_stream) continue;
            if (receive_all(fd, answer, request->message_bytes) != 0) return 1;
            count(&answers, request, number, answer);
            if (sample < 0 && memcmp(answer, message, request->message_bytes) != 0) return 1;
        }
        last_receipt_ns = roundtrip_now_ns();
        if (is_stream && receive_all(fd, (char *)&last_receipt_ns, sizeof last_receipt_ns) != 0) return 1;
        if (sample >= first) samples_ns[sample - first] = last_receipt_ns - begin_ns;
    }
    if (receive_all(fd, (char *)&responder, sizeof responder) != 0) return 1;
    result.elapsed_ns = last_receipt_ns - first_send_ns;
    result.attempted = result.accepted = request->samples * (uint64_t)per_sample;
    result.delivered = is_stream || responder.delivered < answers.delivered ? responder.delivered : answers.delivered;
    result.corrupted = result.attempted - result.delivered;
    result.responder_sum = responder.sum;
    result.initiator_sum = answers.sum;
    roundtrip_done(request, &result, samples_ns);
    return 0;
}

/* Measures a part for each request of the harness. */
static int initiate(int fd, const struct roundtrip_case *request, char *message, char *answer) {
    uint64_t *samples_ns = (uint64_t *)malloc((request->samples + 1) * sizeof *samples_ns);
    int64_t next = -(int64_t)request->warmup_samples;
    if (samples_ns == NULL) return 1;
    while (roundtrip_wait_for_go() == 0) {
        if (measure(fd, request, next, message, answer, samples_ns) != 0) return 1;
        next = (next < 0 ? 0 : next) + (int64_t)request->samples;
    }
    return 0;
}

int main(void) {
    struct roundtrip_case request;
    int ends[2];
    if (roundtrip_read_case(&request) != 0) return 1;
    if (strcmp(request.mode, "2proc") != 0) {
        roundtrip_unsupported("only mode 2proc is supported");
        return 0;
    }
    if (request.window != 1) {
        roundtrip_unsupported("only a window of 1 is supported");
        return 0;
    }
    /* Replace: this creates the channel. The responder inherits its end. */
    char *message = (char *)calloc(1, request.message_bytes), *answer = (char *)calloc(1, request.message_bytes);
    if (message == NULL || answer == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        roundtrip_failed("cannot allocate memory or create a pair of sockets");
        return 1;
    }
    memset(message, '.', request.message_bytes);
    pid_t responder = fork();
    if (responder < 0) {
        roundtrip_failed("cannot start the responder");
        return 1;
    }
    if (responder == 0) {
        close(ends[0]);
        return respond(ends[1], &request, answer);
    }
    close(ends[1]);
    roundtrip_connected(getpid(), responder, NULL);
    if (initiate(ends[0], &request, message, answer) != 0) {
        roundtrip_failed("the responder exited or returned a different message");
        return 1;
    }
    return 0;
}
