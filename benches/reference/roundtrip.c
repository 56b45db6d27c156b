/* The bare loop that the harness is held against: two processes on one processor, two pipes, blocking write and
 * read, CLOCK_MONOTONIC around each round trip, no verification. Prints the sorted times in nanoseconds.
 *
 * usage: roundtrip CPU BYTES WARMUP OPERATIONS
 * calls: pipe(2), sched_setaffinity(2), fork(2), read(2), write(2), clock_gettime(2)
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void write_all(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(descriptor, bytes, length);
        if (written < 0) fail("write");
        bytes += written;
        length -= (size_t)written;
    }
}

static void read_all(int descriptor, char *bytes, size_t length) {
    while (length > 0) {
        ssize_t got = read(descriptor, bytes, length);
        if (got < 0) fail("read");
        if (got == 0) exit(0);
        bytes += got;
        length -= (size_t)got;
    }
}

static int ascending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "usage: roundtrip CPU BYTES WARMUP OPERATIONS\n");
        return 2;
    }
    int cpu = atoi(arguments[1]);
    size_t bytes = strtoul(arguments[2], NULL, 10);
    long warmup = atol(arguments[3]), operations = atol(arguments[4]);

    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) fail("sched_setaffinity");
    int there[2], back[2];
    if (pipe(there) != 0 || pipe(back) != 0) fail("pipe");

    pid_t child = fork();
    if (child < 0) fail("fork");
    /* Buffers are made and touched after the fork, or large ones would measure copy-on-write. */
    char *buffer = malloc(bytes);
    uint64_t *times = malloc((size_t)operations * sizeof *times);
    if (buffer == NULL || times == NULL) fail("malloc");
    memset(buffer, 0x55, bytes);
    memset(times, 0x55, (size_t)operations * sizeof *times);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(there[1]);
        close(back[0]);
        for (;;) {
            read_all(there[0], buffer, bytes);
            write_all(back[1], buffer, bytes);
        }
    }
    close(there[0]);
    close(back[1]);
    for (long i = -warmup; i < operations; i++) {
        uint64_t start = now_ns();
        write_all(there[1], buffer, bytes);
        read_all(back[0], buffer, bytes);
        if (i >= 0) times[i] = now_ns() - start;
    }
    close(there[1]);
    waitpid(child, NULL, 0);
    qsort(times, (size_t)operations, sizeof *times, ascending);
    for (long i = 0; i < operations; i++) printf("%llu\n", (unsigned long long)times[i]);
    return 0;
}
