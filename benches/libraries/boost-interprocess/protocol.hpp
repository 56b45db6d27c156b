// PROTOCOL.md for C++ programs with two processes: the initiator forks the responder. Their pair of sockets carries
// only counts and times, never messages.
#pragma once

#include "roundtrip.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace roundtrip {

using Message = std::vector<char>;

// The requested case.
struct Case : roundtrip_case {
    bool is_stream() const { return std::string_view(scenario) == "stream"; }
    std::int64_t messages_per_sample() const { return static_cast<std::int64_t>(batch * messages_per_operation); }
};

// A receiver's counts of recorded messages.
struct Counts {
    std::uint64_t delivered = 0;
    std::uint32_t sum = 0;

    void add(const Case& request, std::int64_t number, const Message& message) {
        if (number < 0) return;
        const std::uint32_t header = roundtrip_read_header(message.data());
        sum += header;
        delivered += header == roundtrip_header(&request, number);
    }
};

// An end of the pair of sockets.
class Control {
public:
    explicit Control(int fd) : fd(fd) {}

    template <typename Value> void write(const Value& value) const {
        if (::send(fd, &value, sizeof value, MSG_NOSIGNAL) != sizeof value)
            throw std::runtime_error("the initiator exited");
    }

    template <typename Value> Value read() const {
        Value value{};
        if (::recv(fd, &value, sizeof value, MSG_WAITALL) != sizeof value)
            throw std::runtime_error("the responder exited");
        return value;
    }

    // Waits until the other end is closed.
    void wait_for_close() const {
        char byte;
        while (::recv(fd, &byte, 1, 0) > 0) {}
    }

private:
    int fd;
};

// Receives messages, and in "roundtrip" returns them, part after part, until the initiator exits.
template <typename Channel> void respond(const Case& request, const Control& control, Channel& channel) {
    const std::int64_t per_sample = request.messages_per_sample();
    const std::int64_t per_part = static_cast<std::int64_t>(request.samples) * per_sample;
    std::int64_t number = -static_cast<std::int64_t>(request.warmup_samples) * per_sample;
    Message message(request.message_bytes);
    for (std::int64_t end = per_part;; end += per_part) {
        Counts counts;
        for (; number < end; number++) {
            channel.receive(message);
            counts.add(request, number, message);
            if (!request.is_stream()) channel.send(message);
            else if ((end - number - 1) % per_sample == 0) control.write(roundtrip_now_ns());
        }
        control.write(counts);
    }
}

// Runs the responder until the initiator exits.
template <typename Open> [[noreturn]] void run_responder(const Case& request, const Control& control, Open open) {
    std::thread([control] {
        control.wait_for_close();
        ::_exit(0);
    }).detach();
    try {
        auto channel = open();
        control.write('r');
        respond(request, control, channel);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "responder: %s\n", error.what());
    }
    ::_exit(1);
}

// Measures a part that begins with this sample. The first part begins with the warm-up, whose samples are negative.
template <typename Channel>
void measure(const Case& request, std::int64_t sample, const Control& control, Channel& channel) {
    Message message(request.message_bytes, '.'), answer(request.message_bytes);
    Counts answers;
    std::vector<std::uint64_t> samples_ns;
    const std::int64_t per_sample = request.messages_per_sample();
    const std::int64_t first = std::max<std::int64_t>(sample, 0);
    const std::int64_t end = first + static_cast<std::int64_t>(request.samples);
    std::uint64_t first_send_ns = 0, last_receipt_ns = 0;
    for (; sample < end; sample++) {
        const std::uint64_t begin_ns = roundtrip_now_ns();
        if (sample == first) first_send_ns = begin_ns;
        for (std::int64_t number = sample * per_sample; number < (sample + 1) * per_sample; number++) {
            roundtrip_write_header(message.data(), roundtrip_header(&request, number));
            channel.send(message);
            if (request.is_stream()) continue;
            channel.receive(answer);
            last_receipt_ns = roundtrip_now_ns();
            answers.add(request, number, answer);
            if (sample < first && answer != message)
                throw std::runtime_error("the responder returned a different message");
        }
        if (request.is_stream()) last_receipt_ns = control.read<std::uint64_t>();
        if (sample >= first) samples_ns.push_back(last_receipt_ns - begin_ns);
    }
    const Counts received = control.read<Counts>();
    roundtrip_result result{};
    result.elapsed_ns = last_receipt_ns - first_send_ns;
    result.attempted = result.accepted = request.samples * static_cast<std::uint64_t>(per_sample);
    result.delivered = request.is_stream() ? received.delivered : std::min(received.delivered, answers.delivered);
    result.responder_sum = received.sum;
    result.initiator_sum = answers.sum;
    roundtrip_done(&request, &result, samples_ns.data());
}

// Runs both ends. The initiator's is opened first; `connected` is called when both are open. An end has `send(message)`
// and `receive(message)`, which throw exceptions.
template <typename Initiate, typename Respond, typename Connected>
int run(const std::string& facts, Initiate initiate, Respond open_responder, Connected connected) {
    Case request{};
    if (roundtrip_read_case(&request) != 0) return 1;
    if (std::string_view(request.mode) != "2proc" || request.window != 1) {
        roundtrip_unsupported("only mode 2proc with a window of 1 is supported");
        return 0;
    }
    try {
        auto channel = initiate(request);
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw std::runtime_error("socketpair failed");
        const pid_t responder = ::fork();
        if (responder < 0) throw std::runtime_error("fork failed");
        if (responder == 0) {
            ::close(ends[0]);
            run_responder(request, Control(ends[1]), open_responder);
        }
        ::close(ends[1]);
        const Control control(ends[0]);
        control.read<char>();
        connected();
        roundtrip_connected(::getpid(), responder, facts.c_str());
        static std::atomic<bool> is_ending = false;
        // Ends an initiator that waits for a message of a killed responder.
        std::thread([responder] {
            ::waitpid(responder, nullptr, 0);
            if (is_ending) return;
            roundtrip_failed("the responder exited");
            ::_exit(1);
        }).detach();
        std::int64_t next = -static_cast<std::int64_t>(request.warmup_samples);
        while (roundtrip_wait_for_go() == 0) {
            measure(request, next, control, channel);
            next = std::max<std::int64_t>(next, 0) + static_cast<std::int64_t>(request.samples);
        }
        is_ending = true;
        return 0;
    } catch (const std::exception& error) {
        roundtrip_failed(error.what());
        return 1;
    }
}

} // namespace roundtrip
