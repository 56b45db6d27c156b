/*
 * PROTOCOL.md for programs in C: one header that only needs the C library of a POSIX system.
 *
 *     struct roundtrip_case request;
 *     if (roundtrip_read_case(&request) != 0) return 1;
 *     ... open the channel, start the responder ...
 *     roundtrip_connected(getpid(), responder_pid, "\"version\":\"1.4.2\"");
 *     while (roundtrip_wait_for_go() == 0) {
 *         ... measure request.samples samples into samples_ns; before the first part, request.warmup_samples more ...
 *         roundtrip_done(&request, &result, samples_ns);
 *     }
 *
 * Needs C99 or later. Include it in only one file of a program.
 */
#ifndef ROUNDTRIP_H
#define ROUNDTRIP_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Length of the header of every message. */
#define ROUNDTRIP_HEADER_BYTES 8

/* What to measure. Counts are for one part. */
struct roundtrip_case {
    char scenario[32]; /* "roundtrip" or "stream" */
    char mode[32];     /* "2proc" or "2thread" */
    uint64_t message_bytes;
    uint64_t messages_per_operation;
    uint64_t batch;
    uint64_t window;
    uint64_t samples;
    uint64_t warmup_samples;
    uint64_t seed;
};

/* The results of a part, without the warm-up. */
struct roundtrip_result {
    uint64_t elapsed_ns; /* from the first send to the last receipt */
    uint64_t attempted;
    uint64_t accepted;
    uint64_t delivered;
    uint64_t out_of_order;
    uint64_t corrupted;
    uint32_t responder_sum; /* sum of the headers that the responder received */
    uint32_t initiator_sum; /* sum of the headers of the answers; unused in "stream" */
};

/* Messages of one sample. */
static inline uint64_t roundtrip_messages_per_sample(const struct roundtrip_case *request) {
    return request->batch * request->messages_per_operation;
}

/* The header of a message as an integer. The first recorded message has the number 0, and the number increases over all
 * parts. Warm-up messages have negative numbers: the last one has -1. */
static inline uint32_t roundtrip_header(const struct roundtrip_case *request, int64_t number) {
    return ((uint32_t)request->seed + (uint32_t)number) * UINT32_C(2654435761);
}

/* Writes a header: eight hexadecimal digits. */
static inline void roundtrip_write_header(char *message, uint32_t header) {
    static const char digits[] = "0123456789abcdef";
    for (int at = ROUNDTRIP_HEADER_BYTES - 1; at >= 0; at--, header >>= 4) message[at] = digits[header & 15];
}

/* Reads a header. An invalid digit counts as a large one, so that the sum will be wrong. */
static inline uint32_t roundtrip_read_header(const char *message) {
    uint32_t header = 0;
    for (int at = 0; at < ROUNDTRIP_HEADER_BYTES; at++) {
        char digit = message[at];
        uint32_t value = digit >= '0' && digit <= '9' ? (uint32_t)(digit - '0')
                       : digit >= 'a' && digit <= 'f' ? (uint32_t)(digit - 'a') + 10
                                                      : UINT32_C(77);
        header = header << 4 ^ value;
    }
    return header;
}

/* The monotonic clock in nanoseconds. All processes of a machine share it. */
static inline uint64_t roundtrip_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Prints {"kind":"text"} without the quotes, backslashes and control characters of the text. */
static inline void roundtrip_print_text(const char *kind, const char *text) {
    printf("{\"%s\":\"", kind);
    for (; *text != '\0'; text++)
        if (*text != '"' && *text != '\\' && (unsigned char)*text >= ' ') putchar(*text);
    printf("\"}\n");
    fflush(stdout);
}

/* Reports that the program does not support the case: "only a window of 1 is supported". */
static inline void roundtrip_unsupported(const char *why) { roundtrip_print_text("unsupported", why); }

/* Reports that measuring failed: "connect: connection refused". */
static inline void roundtrip_failed(const char *why) { roundtrip_print_text("failed", why); }

/* Finds the value of a field in a line, or returns NULL. The harness writes each name once, and no spaces. */
static inline const char *roundtrip_field(const char *line, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(line, key);
    return at == NULL ? NULL : at + strlen(key);
}

static inline int roundtrip_number(const char *line, const char *name, uint64_t *number) {
    const char *at = roundtrip_field(line, name);
    return at != NULL && sscanf(at, "%" SCNu64, number) == 1 ? 0 : -1;
}

static inline int roundtrip_word(const char *line, const char *name, char word[32]) {
    const char *at = roundtrip_field(line, name);
    return at != NULL && sscanf(at, "\"%31[^\"]\"", word) == 1 ? 0 : -1;
}

/* Reads the case to measure. If that fails, reports the reason and returns -1. */
static inline int roundtrip_read_case(struct roundtrip_case *request) {
    char line[4096];
    uint64_t protocol = 0;
    if (fgets(line, sizeof line, stdin) == NULL) return -1;
    if (roundtrip_number(line, "protocol", &protocol) != 0 || protocol != 1) {
        roundtrip_unsupported("unsupported protocol version: expected 1");
        return -1;
    }
    if (roundtrip_word(line, "scenario", request->scenario) != 0 || roundtrip_word(line, "mode", request->mode) != 0
        || roundtrip_number(line, "message_bytes", &request->message_bytes) != 0
        || roundtrip_number(line, "messages_per_operation", &request->messages_per_operation) != 0
        || roundtrip_number(line, "batch", &request->batch) != 0 || roundtrip_number(line, "window", &request->window) != 0
        || roundtrip_number(line, "samples", &request->samples) != 0
        || roundtrip_number(line, "warmup_samples", &request->warmup_samples) != 0
        || roundtrip_number(line, "seed", &request->seed) != 0) {
        roundtrip_failed("a field of the case is missing or invalid");
        return -1;
    }
    return 0;
}

/* Reports that both ends are connected. `facts` has members of a JSON object, such as "\"version\":\"1.4.2\"", or is
 * NULL. */
static inline void roundtrip_connected(long initiator_pid, long responder_pid, const char *facts) {
    printf("{\"connected\":{\"initiator_pid\":%ld,\"responder_pid\":%ld,\"facts\":{%s}}}\n", initiator_pid, responder_pid,
           facts == NULL ? "" : facts);
    fflush(stdout);
}

/* Waits until the harness requests a part. Before the first, the harness pins both ends. Returns -1 after the last: then
 * exit. */
static inline int roundtrip_wait_for_go(void) {
    char line[64];
    return fgets(line, sizeof line, stdin) != NULL && strncmp(line, "\"go\"", 4) == 0 ? 0 : -1;
}

/* Reports the end of the warm-up. The harness measures the time from here until a roundtrip_done() without samples. */
static inline void roundtrip_started(void) {
    printf("{\"started\":{}}\n");
    fflush(stdout);
}

/* Reports the results of a part. `samples_ns` has request->samples times; NULL if the harness measures the time. */
static inline void roundtrip_done(const struct roundtrip_case *request, const struct roundtrip_result *result,
                                  const uint64_t *samples_ns) {
    printf("{\"done\":{");
    if (samples_ns != NULL) {
        printf("\"samples_ns\":[");
        for (uint64_t sample = 0; sample < request->samples; sample++)
            printf("%s%" PRIu64, sample == 0 ? "" : ",", samples_ns[sample]);
        printf("],\"elapsed_ns\":%" PRIu64 ",", result->elapsed_ns);
    }
    if (strcmp(request->scenario, "roundtrip") == 0) printf("\"initiator_sum\":%" PRIu32 ",", result->initiator_sum);
    printf("\"attempted\":%" PRIu64 ",\"accepted\":%" PRIu64 ",\"delivered\":%" PRIu64 ",\"out_of_order\":%" PRIu64
           ",\"corrupted\":%" PRIu64 ",\"responder_sum\":%" PRIu32 "}}\n",
           result->attempted, result->accepted, result->delivered, result->out_of_order, result->corrupted,
           result->responder_sum);
    fflush(stdout);
}

#endif
