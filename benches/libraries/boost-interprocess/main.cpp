// Boost.Interprocess: a message_queue in shared memory for each direction.
#include "protocol.hpp"

#include <boost/interprocess/ipc/message_queue.hpp>
#include <boost/version.hpp>

#include <string>

namespace ipc = boost::interprocess;

// Messages that a queue holds before its sender waits.
constexpr std::size_t QUEUED_MESSAGES = 8;

// One process's ends of both queues.
class Queues {
public:
    Queues(ipc::create_only_t create, const std::string& sends, const std::string& receives, std::size_t message_bytes)
        : outgoing(create, sends.c_str(), QUEUED_MESSAGES, message_bytes),
          incoming(create, receives.c_str(), QUEUED_MESSAGES, message_bytes) {}

    Queues(ipc::open_only_t open, const std::string& sends, const std::string& receives)
        : outgoing(open, sends.c_str()), incoming(open, receives.c_str()) {}

    void send(const roundtrip::Message& message) { outgoing.send(message.data(), message.size(), 0); }

    void receive(roundtrip::Message& message) {
        ipc::message_queue::size_type length = 0;
        unsigned int priority = 0;
        incoming.receive(message.data(), message.size(), length, priority);
        if (length != message.size()) throw std::runtime_error("received a message of another length");
    }

private:
    ipc::message_queue outgoing;
    ipc::message_queue incoming;
};

int main() {
    const std::string version = std::to_string(BOOST_VERSION / 100000) + "."
                              + std::to_string(BOOST_VERSION / 100 % 1000) + "." + std::to_string(BOOST_VERSION % 100);
    const std::string name = "roundtrip-" + std::to_string(::getpid());
    const std::string to = name + "-to", from = name + "-from";
    return roundtrip::run(
        "\"version\":\"" + version + "\",\"settings\":\"queues of " + std::to_string(QUEUED_MESSAGES) + " messages\"",
        [&](const roundtrip::Case& request) { return Queues(ipc::create_only, to, from, request.message_bytes); },
        [&] { return Queues(ipc::open_only, from, to); },
        // Both ends keep the queues open.
        [&] {
            ipc::message_queue::remove(to.c_str());
            ipc::message_queue::remove(from.c_str());
        });
}
