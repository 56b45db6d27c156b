// Two processes over gRPC on a Unix socket. The argument is call, a unary call for each message, or stream, one call for all.
package main

import (
	"context"
	"fmt"
	"net"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"roundtrip.example/go-protocol"
	"roundtrip.example/grpc-go/echo"
)

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative echo/echo.proto

// Larger than any message, so that none waits for a window update. The default grows with the measured bandwidth.
const windowBytes = 4 << 20

type server struct {
	echo.UnimplementedEchoServer
	isStream bool
	received func([]byte)
}

func (s *server) Call(_ context.Context, message *echo.Message) (*echo.Message, error) {
	s.received(message.Payload)
	return message, nil
}

func (s *server) Stream(stream grpc.BidiStreamingServer[echo.Message, echo.Message]) error {
	for {
		message, err := stream.Recv()
		if err != nil {
			return err
		}
		if !s.isStream {
			if err := stream.Send(message); err != nil {
				return err
			}
		}
		s.received(message.Payload)
	}
}

func respond(c *protocol.Case, address string, options []grpc.ServerOption, ready func(), received func([]byte)) error {
	listener, err := net.Listen("unix", address)
	if err != nil {
		return err
	}
	s := grpc.NewServer(options...)
	echo.RegisterEchoServer(s, &server{isStream: c.IsStream(), received: received})
	ready()
	return s.Serve(listener)
}

func dial(address string, options ...grpc.DialOption) (echo.EchoClient, error) {
	options = append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))
	connection, err := grpc.NewClient("unix:"+address, options...)
	if err != nil {
		return nil, err
	}
	// A client connects with its first call, when the socket has no name any more.
	connection.Connect()
	for state := connection.GetState(); state != connectivity.Ready; state = connection.GetState() {
		connection.WaitForStateChange(context.Background(), state)
	}
	return echo.NewEchoClient(connection), nil
}

// A unary call for each message: Receive calls, with the message of Send.
type caller struct {
	client  echo.EchoClient
	message *echo.Message
}

func (c *caller) Send(message []byte) error {
	c.message = &echo.Message{Payload: message}
	return nil
}

func (c *caller) Receive() ([]byte, error) {
	answer, err := c.client.Call(context.Background(), c.message)
	return answer.GetPayload(), err
}

// One call for all messages.
type streamer struct {
	stream grpc.BidiStreamingClient[echo.Message, echo.Message]
}

func (s *streamer) Send(message []byte) error { return s.stream.Send(&echo.Message{Payload: message}) }

func (s *streamer) Receive() ([]byte, error) {
	answer, err := s.stream.Recv()
	return answer.GetPayload(), err
}

func call() *protocol.Program {
	return &protocol.Program{
		Facts:     map[string]string{"version": grpc.Version, "settings": "defaults, unary calls"},
		Scenarios: []string{"roundtrip"},
		Respond: func(c *protocol.Case, address string, ready func(), received func([]byte)) error {
			return respond(c, address, nil, ready, received)
		},
		Connect: func(_ *protocol.Case, address string) (protocol.Channel, error) {
			client, err := dial(address)
			return &caller{client: client}, err
		},
	}
}

func stream() *protocol.Program {
	return &protocol.Program{
		Facts:     map[string]string{"version": grpc.Version, "settings": "one stream, windows of 4 MiB"},
		Scenarios: []string{"roundtrip", "stream"},
		Respond: func(c *protocol.Case, address string, ready func(), received func([]byte)) error {
			windows := []grpc.ServerOption{grpc.InitialWindowSize(windowBytes), grpc.InitialConnWindowSize(windowBytes)}
			return respond(c, address, windows, ready, received)
		},
		Connect: func(_ *protocol.Case, address string) (protocol.Channel, error) {
			client, err := dial(address, grpc.WithInitialWindowSize(windowBytes), grpc.WithInitialConnWindowSize(windowBytes))
			if err != nil {
				return nil, err
			}
			stream, err := client.Stream(context.Background(), grpc.WaitForReady(true))
			return &streamer{stream}, err
		},
	}
}

func main() {
	programs := map[string]func() *protocol.Program{"call": call, "stream": stream}
	if len(os.Args) < 2 || programs[os.Args[1]] == nil {
		fmt.Fprintf(os.Stderr, "%q: expected call or stream\n", os.Args[1:])
		os.Exit(2)
	}
	protocol.Main(programs[os.Args[1]]())
}
