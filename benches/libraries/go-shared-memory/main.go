// Two processes over a mapped file of /dev/shm. The argument is how the receiver waits: futex or poll.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
	"roundtrip.example/go-protocol"
)

const (
	// From linux/futex.h, which x/sys does not cover.
	futexWait = 0
	futexWake = 1
	// The count of messages and the message are in different cache lines.
	messageAt = 64
	pageBytes = 4096
)

// A message in shared memory, after a count of sent messages.
type slot struct {
	sent    *atomic.Uint32
	message []byte
	// Messages received from it by this process.
	received uint32
	waits    bool
}

func (s *slot) send(message []byte) error {
	copy(s.message, message)
	s.sent.Add(1)
	if !s.waits {
		return nil
	}
	return s.futex(futexWake, 1)
}

func (s *slot) receive(message []byte) error {
	for s.sent.Load() == s.received {
		if s.waits {
			if err := s.futex(futexWait, s.received); err != nil && err != unix.EAGAIN && err != unix.EINTR {
				return err
			}
		}
	}
	s.received++
	copy(message, s.message)
	return nil
}

func (s *slot) futex(operation, value uint32) error {
	_, _, errno := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(s.sent)), uintptr(operation), uintptr(value), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// The initiator's end.
type end struct {
	request, answer *slot
	received        []byte
}

func (e *end) Send(message []byte) error { return e.request.send(message) }

func (e *end) Receive() ([]byte, error) { return e.received, e.answer.receive(e.received) }

// The same name in /dev/shm, so that the kernel never writes the memory to a disk.
func inMemory(address string) string {
	return filepath.Join("/dev/shm", filepath.Base(filepath.Dir(address)))
}

// Maps the slots for requests and answers.
func mapSlots(path string, messageBytes int, waits bool) (request, answer *slot, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	slotBytes := (messageAt + messageBytes + pageBytes - 1) / pageBytes * pageBytes
	if err := file.Truncate(int64(2 * slotBytes)); err != nil {
		return nil, nil, err
	}
	memory, err := unix.Mmap(int(file.Fd()), 0, 2*slotBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot map %s: %w", path, err)
	}
	at := func(begin int) *slot {
		sent := (*atomic.Uint32)(unsafe.Pointer(&memory[begin]))
		return &slot{sent: sent, message: memory[begin+messageAt:][:messageBytes], waits: waits}
	}
	return at(0), at(slotBytes), nil
}

func respond(c *protocol.Case, address string, waits bool, ready func(), received func([]byte)) error {
	request, answer, err := mapSlots(inMemory(address), c.MessageBytes, waits)
	if err != nil {
		return err
	}
	ready()
	message := make([]byte, c.MessageBytes)
	for {
		if err := request.receive(message); err != nil {
			return err
		}
		if err := answer.send(message); err != nil {
			return err
		}
		received(message)
	}
}

func connect(c *protocol.Case, address string, waits bool) (protocol.Channel, error) {
	path := inMemory(address)
	request, answer, err := mapSlots(path, c.MessageBytes, waits)
	if err != nil {
		return nil, err
	}
	return &end{request, answer, make([]byte, c.MessageBytes)}, os.Remove(path)
}

// The version of golang.org/x/sys.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "golang.org/x/sys" {
				return strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return "unknown"
}

func main() {
	if len(os.Args) < 2 || (os.Args[1] != "futex" && os.Args[1] != "poll") {
		fmt.Fprintf(os.Stderr, "%q: expected futex or poll\n", os.Args[1:])
		os.Exit(2)
	}
	waits := os.Args[1] == "futex"
	protocol.Main(&protocol.Program{
		Facts:     map[string]string{"version": version(), "settings": os.Args[1]},
		Scenarios: []string{"roundtrip"},
		Respond: func(c *protocol.Case, address string, ready func(), received func([]byte)) error {
			return respond(c, address, waits, ready, received)
		},
		Connect: func(c *protocol.Case, address string) (protocol.Channel, error) { return connect(c, address, waits) },
	})
}
