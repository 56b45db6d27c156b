/* memfd-remap, memfd-read: the message is a memory object, passed as a descriptor and mapped by the receiver.
 *
 * calls per message: sendmsg(2) with SCM_RIGHTS (unix(7), cmsg(3)) and 16 bytes with the place of the message,
 *                     recvmsg(2), mmap(2); memfd-read reads one byte of every page; munmap(2), close(2) when done
 * calls per channel: socketpair(2); lent.c
 *
 * The responder returns the same descriptor. Like in the harness, it releases a message when it receives the next one, and
 * the initiator releases one after stopping its clock.
 */
#include "roundtrip.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* The place of a message in the object. */
struct place {
    uint64_t offset, bytes;
};

/* The message received last; the mapping is NULL if there is none. */
static int held_object;
static char *held_mapping;

static void open_objects(struct end *initiator, struct end *responder) {
    open_pair(SOCK_SEQPACKET, initiator, responder);
    open_returns(initiator, responder);
}

static void send_object(struct end *end, const char *message) {
    struct place place = {.offset = 0, .bytes = end->bytes};
    struct iovec bytes = {.iov_base = &place, .iov_len = sizeof place};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
    struct msghdr header = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(rights), message == held_mapping ? &held_object : &message_object, sizeof(int));
    if (sendmsg(end->out, &header, MSG_NOSIGNAL) != sizeof place) fail("sendmsg");
}

static void release_object(struct end *end) {
    (void)end;
    if (held_mapping == NULL) return;
    munmap(held_mapping, end->bytes);
    close(held_object);
    held_mapping = NULL;
    count_return();
}

static char *receive_mapping(struct end *end, char *buffer) {
    (void)buffer;
    release_object(end);
    struct place place;
    struct iovec bytes = {.iov_base = &place, .iov_len = sizeof place};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    struct msghdr header = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    if (recvmsg(end->in, &header, MSG_CMSG_CLOEXEC) != sizeof place) fail("recvmsg");
    struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
    if (rights == NULL || rights->cmsg_type != SCM_RIGHTS) {
        errno = EBADMSG;
        fail("message without a descriptor");
    }
    memcpy(&held_object, CMSG_DATA(rights), sizeof held_object);
    /* Pages become present on access. */
    held_mapping = mmap(NULL, place.offset + place.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, held_object, 0);
    if (held_mapping == MAP_FAILED) fail("mmap");
    return held_mapping + place.offset;
}

static char *receive_and_read(struct end *end, char *buffer) {
    char *message = receive_mapping(end, buffer);
    for (size_t at = 0; at < end->bytes; at += 4096) (void)*(volatile char *)(message + at);
    return message;
}

const struct mechanism memfd_remap_mechanism = {
    .name = "memfd-remap", .open = open_objects, .connect = connect_returns, .allocate = allocate_object,
    .send = send_object, .receive = receive_mapping, .release = release_object};
const struct mechanism memfd_read_mechanism = {
    .name = "memfd-read", .open = open_objects, .connect = connect_returns, .allocate = allocate_object,
    .send = send_object, .receive = receive_and_read, .release = release_object};
