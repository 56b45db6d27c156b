/* Helpers for several mechanisms.
 *
 * calls: memfd_create(2), ftruncate(2), mmap(2), pipe(2), socketpair(2)
 */
#include "roundtrip.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

void (*remove_objects)(void);

void fail(const char *call) {
    fprintf(stderr, "%s: %s\n", call, strerror(errno));
    if (remove_objects != NULL) remove_objects();
    exit(1);
}

char *private_memory(size_t bytes) {
    /* Align to a page. malloc puts large blocks 16 bytes after the start of a page, where the kernel's copies can take
     * twice as long: reads and recent writes then share the lower 12 bits of their addresses (4K aliasing). */
    const size_t page = 4096;
    char *memory = aligned_alloc(page, (bytes + page - 1) / page * page);
    if (memory == NULL) fail("aligned_alloc");
    return memset(memory, 0xff, bytes);
}

int shared_object(size_t bytes) {
    int object = check(memfd_create("roundtrip", MFD_CLOEXEC), "memfd_create");
    check(ftruncate(object, (off_t)bytes), "ftruncate");
    return object;
}

char *map_shared(int object, size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, object, 0);
    if (memory == MAP_FAILED) fail("mmap");
    return memory;
}

void open_pipes(struct end *initiator, struct end *responder) {
    int there[2], back[2];
    check(pipe(there), "pipe");
    check(pipe(back), "pipe");
    initiator->out = there[1];
    initiator->in = back[0];
    responder->out = back[1];
    responder->in = there[0];
}

void open_pair(int type, struct end *initiator, struct end *responder) {
    int sockets[2];
    check(socketpair(AF_UNIX, type, 0, sockets), "socketpair");
    initiator->out = initiator->in = sockets[0];
    responder->out = responder->in = sockets[1];
}
