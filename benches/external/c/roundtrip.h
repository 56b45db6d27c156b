/*
 * The protocol of PROTOCOL.md for programs in C: one header, no dependency but the C library of a POSIX system.
 *
 *     struct roundtrip_case asked;
 *     if (roundtrip_read_case(&asked) != 0) return 1;
 *     ... open the channel, start the other end ...
 *     roundtrip_connected(getpid(), responder_pid, "\"version\":\"1.4.2\"");
 *     while (roundtrip_wait_for_go() == 0) {
 *         ... exchange asked.samples samples, the first time asked.warmup_samples before them; times in samples_ns ...
 *         roundtrip_done(&asked, &result, samples_ns);
 *     }
 *
 * C99 and later; include it in one file of a program.
 */
#ifndef ROUNDTRIP_H
#define ROUNDTRIP_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Bytes at the head of every message. */
#define ROUNDTRIP_HEAD_BYTES 8

/* What one repetition is to do: so much in each part. */
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

/* What became of the messages of a part. Those of the warm-up do not count. */
struct roundtrip_result {
    uint64_t elapsed_ns; /* from the first send to the last receipt */
    uint64_t attempted;
    uint64_t accepted;
    uint64_t delivered;
    uint64_t out_of_order;
    uint64_t corrupted;
    uint32_t responder_sum; /* of the heads that the responder received */
    uint32_t initiator_sum; /* of the heads of the answers; in "stream" there are none */
};

/* Messages of one sample. */
static inline uint64_t roundtrip_messages_per_sample(const struct roundtrip_case *asked) {
    return asked->batch * asked->messages_per_operation;
}

/* The head of a message as a number. The first message that is recorded has the number 0, and the numbers go on over
 * all parts; those of the warm-up have the numbers before it, down to minus their count. */
static inline uint32_t roundtrip_head(const struct roundtrip_case *asked, int64_t number) {
    return ((uint32_t)asked->seed + (uint32_t)number) * UINT32_C(2654435761);
}

/* Writes a head: eight hexadecimal digits. */
static inline void roundtrip_write_head(char *message, uint32_t head) {
    static const char digits[] = "0123456789abcdef";
    for (int at = ROUNDTRIP_HEAD_BYTES - 1; at >= 0; at--, head >>= 4) message[at] = digits[head & 15];
}

/* Reads a head. What is no digit counts as a large one, so that the sum will not be right. */
static inline uint32_t roundtrip_read_head(const char *message) {
    uint32_t head = 0;
    for (int at = 0; at < ROUNDTRIP_HEAD_BYTES; at++) {
        char digit = message[at];
        uint32_t value = digit >= '0' && digit <= '9' ? (uint32_t)(digit - '0')
                       : digit >= 'a' && digit <= 'f' ? (uint32_t)(digit - 'a') + 10
                                                      : UINT32_C(77);
        head = head << 4 ^ value;
    }
    return head;
}

/* The clock that all processes of a machine share, in nanoseconds. */
static inline uint64_t roundtrip_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Prints {"kind":"text"} and flushes. Quotes and control characters of the text are left out. */
static inline void roundtrip_say_text(const char *kind, const char *text) {
    printf("{\"%s\":\"", kind);
    for (; *text != '\0'; text++)
        if (*text != '"' && *text != '\\' && (unsigned char)*text >= ' ') putchar(*text);
    printf("\"}\n");
    fflush(stdout);
}

/* Such a case cannot be measured at all: "keeps one message on its way". */
static inline void roundtrip_unsupported(const char *why) { roundtrip_say_text("unsupported", why); }

/* It did not work out: "connect: connection refused". */
static inline void roundtrip_failed(const char *why) { roundtrip_say_text("failed", why); }

/* Where the value of a field begins in a line, or NULL. The harness writes each name once, and no blanks. */
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

/* Reads what is to be measured. -1, and it has said why, when that is not understood. */
static inline int roundtrip_read_case(struct roundtrip_case *asked) {
    char line[4096];
    uint64_t protocol = 0;
    if (fgets(line, sizeof line, stdin) == NULL) return -1;
    if (roundtrip_number(line, "protocol", &protocol) != 0 || protocol != 1) {
        roundtrip_unsupported("another version of the protocol: expected 1");
        return -1;
    }
    if (roundtrip_word(line, "scenario", asked->scenario) != 0 || roundtrip_word(line, "mode", asked->mode) != 0
        || roundtrip_number(line, "message_bytes", &asked->message_bytes) != 0
        || roundtrip_number(line, "messages_per_operation", &asked->messages_per_operation) != 0
        || roundtrip_number(line, "batch", &asked->batch) != 0 || roundtrip_number(line, "window", &asked->window) != 0
        || roundtrip_number(line, "samples", &asked->samples) != 0
        || roundtrip_number(line, "warmup_samples", &asked->warmup_samples) != 0
        || roundtrip_number(line, "seed", &asked->seed) != 0) {
        roundtrip_failed("the case lacks a field");
        return -1;
    }
    return 0;
}

/* Both ends are there. `facts` are members of a JSON object, such as "\"version\":\"1.4.2\"", or NULL. */
static inline void roundtrip_connected(long initiator_pid, long responder_pid, const char *facts) {
    printf("{\"connected\":{\"initiator_pid\":%ld,\"responder_pid\":%ld,\"facts\":{%s}}}\n", initiator_pid, responder_pid,
           facts == NULL ? "" : facts);
    fflush(stdout);
}

/* Returns when it is time to measure a part, first when both ends are pinned; -1 when the harness wants no more: then end. */
static inline int roundtrip_wait_for_go(void) {
    char line[64];
    return fgets(line, sizeof line, stdin) != NULL && strncmp(line, "\"go\"", 4) == 0 ? 0 : -1;
}

/* The warm-up is over, and the harness is to take the time from here until roundtrip_done() without samples. */
static inline void roundtrip_started(void) {
    printf("{\"started\":{}}\n");
    fflush(stdout);
}

/* A part is measured. `samples_ns` are asked->samples times; NULL where the harness takes the time. */
static inline void roundtrip_done(const struct roundtrip_case *asked, const struct roundtrip_result *result,
                                  const uint64_t *samples_ns) {
    printf("{\"done\":{");
    if (samples_ns != NULL) {
        printf("\"samples_ns\":[");
        for (uint64_t sample = 0; sample < asked->samples; sample++)
            printf("%s%" PRIu64, sample == 0 ? "" : ",", samples_ns[sample]);
        printf("],\"elapsed_ns\":%" PRIu64 ",", result->elapsed_ns);
    }
    if (strcmp(asked->scenario, "roundtrip") == 0) printf("\"initiator_sum\":%" PRIu32 ",", result->initiator_sum);
    printf("\"attempted\":%" PRIu64 ",\"accepted\":%" PRIu64 ",\"delivered\":%" PRIu64 ",\"out_of_order\":%" PRIu64
           ",\"corrupted\":%" PRIu64 ",\"responder_sum\":%" PRIu32 "}}\n",
           result->attempted, result->accepted, result->delivered, result->out_of_order, result->corrupted,
           result->responder_sum);
    fflush(stdout);
}

#endif
