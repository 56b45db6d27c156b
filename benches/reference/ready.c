/* pipe-epoll: pipes whose receiver first waits in epoll_wait(2), level-triggered, and then reads without blocking.
 *
 * calls per message: write(2); epoll_wait(2), read(2), until the message is complete
 * calls per channel: pipe(2), ioctl(2) with FIONBIO, epoll_create1(2), epoll_ctl(2)
 */
#include "roundtrip.h"
#include <errno.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

static int queue;

static void connect_ready(struct end *end) {
    int yes = 1;
    check(ioctl(end->in, FIONBIO, &yes), "ioctl");
    queue = check(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    struct epoll_event wish = {.events = EPOLLIN};
    check(epoll_ctl(queue, EPOLL_CTL_ADD, end->in, &wish), "epoll_ctl");
}

static void send_ready(struct end *end, const char *message) {
    write_all(end->out, message, end->bytes);
}

static char *receive_ready(struct end *end, char *buffer) {
    for (size_t filled = 0; filled < end->bytes;) {
        struct epoll_event event;
        check(epoll_wait(queue, &event, 1, -1), "epoll_wait");
        ssize_t got = read(end->in, buffer + filled, end->bytes - filled);
        if (got == 0 || (got < 0 && errno != EAGAIN)) fail("read");
        if (got > 0) filled += (size_t)got;
    }
    return buffer;
}

const struct mechanism pipe_epoll_mechanism = {
    .name = "pipe-epoll", .open = open_pipes, .connect = connect_ready, .send = send_ready, .receive = receive_ready};
