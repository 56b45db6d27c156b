// Two processes over a Unix socket with package net.
package main

import (
	"io"
	"net"
	"runtime"
	"strings"

	"roundtrip.example/go-protocol"
)

// A stream of bytes: the receiver knows the length of a message.
type socket struct {
	net.Conn
	message []byte
}

func (s *socket) Send(message []byte) error {
	_, err := s.Write(message)
	return err
}

func (s *socket) Receive() ([]byte, error) {
	_, err := io.ReadFull(s, s.message)
	return s.message, err
}

func respond(c *protocol.Case, address string, ready func(), received func([]byte)) error {
	listener, err := net.Listen("unix", address)
	if err != nil {
		return err
	}
	ready()
	connection, err := listener.Accept()
	if err != nil {
		return err
	}
	listener.Close()
	s := &socket{connection, make([]byte, c.MessageBytes)}
	for {
		message, err := s.Receive()
		if err != nil {
			return err
		}
		if !c.IsStream() {
			if err := s.Send(message); err != nil {
				return err
			}
		}
		received(message)
	}
}

func connect(c *protocol.Case, address string) (protocol.Channel, error) {
	connection, err := net.Dial("unix", address)
	return &socket{connection, make([]byte, c.MessageBytes)}, err
}

func main() {
	protocol.Main(&protocol.Program{
		Facts:     map[string]string{"version": strings.TrimPrefix(runtime.Version(), "go"), "settings": "defaults"},
		Scenarios: []string{"roundtrip", "stream"},
		Respond:   respond,
		Connect:   connect,
	})
}
