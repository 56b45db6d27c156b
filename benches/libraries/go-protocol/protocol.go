// Package protocol implements the protocol for external programs, ../../external/PROTOCOL.md, and the measurement.
package protocol

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	headerBytes = 8
	multiplier  = 2654435761
)

// Case is the case to measure.
type Case struct {
	Scenario             string `json:"scenario"`
	Mode                 string `json:"mode"`
	MessageBytes         int    `json:"message_bytes"`
	MessagesPerOperation int64  `json:"messages_per_operation"`
	Batch                int64  `json:"batch"`
	Window               int    `json:"window"`
	Samples              int64  `json:"samples"`
	WarmupSamples        int64  `json:"warmup_samples"`
	Seed                 uint32 `json:"seed"`
}

// IsStream reports whether messages go one way.
func (c *Case) IsStream() bool { return c.Scenario == "stream" }

func (c *Case) perSample() int64 { return c.Batch * c.MessagesPerOperation }

// The header of a message as an integer. Warm-up messages have negative numbers.
func (c *Case) header(number int64) uint32 { return (c.Seed + uint32(number)) * multiplier }

func writeHeader(message []byte, header uint32) {
	for at := headerBytes - 1; at >= 0; at-- {
		message[at] = "0123456789abcdef"[header&15]
		header >>= 4
	}
}

// Channel is the initiator's end.
type Channel interface {
	Send(message []byte) error
	// Receive returns a message that is valid until the next call.
	Receive() ([]byte, error)
}

// Program is what a library adds to the protocol.
type Program struct {
	Facts     map[string]string
	Scenarios []string
	// Respond opens the responder's end at this address, a path of its own, calls ready, and passes each message to received
	// after returning it.
	Respond func(c *Case, address string, ready func(), received func(message []byte)) error
	// Connect opens the initiator's end after the responder's.
	Connect func(c *Case, address string) (Channel, error)
}

// Counts of recorded messages, and the sum of their headers.
type counts struct {
	Delivered int64
	Sum       uint32
}

func (s *counts) add(c *Case, number int64, message []byte) {
	header, err := strconv.ParseUint(string(message[:headerBytes]), 16, 32)
	if number < 0 {
		return
	}
	s.Sum += uint32(header)
	if err == nil && uint32(header) == c.header(number) {
		s.Delivered++
	}
}

// The responder's report for each sample of "stream" and for each part.
type report struct {
	LastReceiptNS int64   `json:",omitempty"`
	Counts        *counts `json:",omitempty"`
}

// Main serves the harness.
func Main(p *Program) {
	if len(os.Args) > 2 && os.Args[len(os.Args)-3] == "responder" {
		if err := p.respond(os.Args[len(os.Args)-2], os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := p.initiate(); err != nil {
		printLine(map[string]string{"failed": err.Error()})
		os.Exit(1)
	}
}

func printLine(value any) {
	if line, err := json.Marshal(value); err == nil {
		os.Stdout.Write(append(line, '\n'))
	}
}

// Both processes read the wall clock, because Go's monotonic clock is private to a process. If the wall clock is adjusted,
// times of "stream" are wrong.
func now() int64 { return time.Now().UnixNano() }

func (p *Program) respond(address, line string) error {
	c, err := p.parse([]byte(line))
	if err != nil {
		return err
	}
	go func() {
		// The initiator's exit closes standard input.
		io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	number, end := -c.WarmupSamples*c.perSample(), c.Samples*c.perSample()
	var sum counts
	return p.Respond(c, address, func() { printLine("ready") }, func(message []byte) {
		if c.IsStream() && (end-number-1)%c.perSample() == 0 {
			printLine(report{LastReceiptNS: now()})
		}
		sum.add(c, number, message)
		number++
		if number == end {
			printLine(report{Counts: &sum})
			sum = counts{}
			end += c.Samples * c.perSample()
		}
	})
}

func (p *Program) parse(line []byte) (*Case, error) {
	var request struct {
		Protocol int  `json:"protocol"`
		Case     Case `json:"case"`
	}
	switch err := json.Unmarshal(line, &request); {
	case err != nil || request.Protocol != 1:
		return nil, errors.New("unsupported protocol version: expected 1")
	case request.Case.Mode != "2proc":
		return nil, errors.New("only mode 2proc is supported")
	case !slices.Contains(p.Scenarios, request.Case.Scenario):
		return nil, fmt.Errorf("unsupported scenario: expected %s", strings.Join(p.Scenarios, " or "))
	case request.Case.Window != 1:
		return nil, errors.New("only a window of 1 is supported")
	}
	return &request.Case, nil
}

func (p *Program) initiate() error {
	harness := bufio.NewReader(os.Stdin)
	line, _ := harness.ReadBytes('\n')
	c, err := p.parse(line)
	if err != nil {
		printLine(map[string]string{"unsupported": err.Error()})
		return nil
	}
	responder, reports, channel, err := p.open(c, line)
	if err != nil {
		return err
	}
	go func() {
		if err := responder.Wait(); err != nil {
			printLine(map[string]string{"failed": "the responder exited: " + err.Error()})
			os.Exit(1)
		}
	}()
	printLine(map[string]any{"connected": map[string]any{
		"initiator_pid": os.Getpid(), "responder_pid": responder.Process.Pid, "facts": p.Facts,
	}})
	for next := -c.WarmupSamples; ; next = max(next, 0) + c.Samples {
		// The harness sends "go" for each part, and closes standard input after the last.
		if _, err := harness.ReadBytes('\n'); err != nil {
			os.Exit(0)
		}
		if err := measure(c, next, channel, reports); err != nil {
			return err
		}
	}
}

// Starts this program as the responder, and connects to it.
func (p *Program) open(c *Case, line []byte) (*exec.Cmd, *json.Decoder, Channel, error) {
	folder, err := os.MkdirTemp("", "roundtrip-")
	if err != nil {
		return nil, nil, nil, err
	}
	// Once connected, the channel needs no name, so nothing is left if the program is killed.
	defer os.RemoveAll(folder)
	address := filepath.Join(folder, "channel")
	responder := exec.Command(os.Args[0], append(slices.Clone(os.Args[1:]), "responder", address, string(line))...)
	responder.Stderr = os.Stderr
	// Never written: the responder notices when the initiator exits.
	if _, err := responder.StdinPipe(); err != nil {
		return nil, nil, nil, err
	}
	// Not StdoutPipe, which Wait would close before its last line is read.
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	responder.Stdout = write
	if err := responder.Start(); err != nil {
		return nil, nil, nil, err
	}
	write.Close()
	reports := json.NewDecoder(read)
	var ready string
	if err := reports.Decode(&ready); err != nil {
		return nil, nil, nil, fmt.Errorf("cannot start the responder: %w", err)
	}
	channel, err := p.Connect(c, address)
	return responder, reports, channel, err
}

// Measures a part that begins with this sample. The first part begins with the warm-up, whose samples are negative.
func measure(c *Case, sample int64, channel Channel, reports *json.Decoder) error {
	var answers counts
	message := bytes.Repeat([]byte{'.'}, c.MessageBytes)
	samples := make([]int64, 0, c.Samples)
	var firstSend, last int64
	first := max(sample, 0)
	for end := first + c.Samples; sample < end; sample++ {
		var took int64
		begin := time.Now()
		if sample == first {
			firstSend = begin.UnixNano()
		}
		for number := sample * c.perSample(); number < (sample+1)*c.perSample(); number++ {
			writeHeader(message, c.header(number))
			if err := channel.Send(message); err != nil {
				return err
			}
			if c.IsStream() {
				continue
			}
			answer, err := channel.Receive()
			if err != nil {
				return err
			}
			took = time.Since(begin).Nanoseconds()
			answers.add(c, number, answer)
			if sample < 0 && !bytes.Equal(answer, message) {
				return errors.New("the responder returned a different message")
			}
		}
		last = begin.UnixNano() + took
		if c.IsStream() {
			var received report
			if err := reports.Decode(&received); err != nil {
				return err
			}
			last = received.LastReceiptNS
			took = last - begin.UnixNano()
		}
		if sample >= first {
			samples = append(samples, took)
		}
	}
	var received report
	if err := reports.Decode(&received); err != nil {
		return err
	}
	all := c.Samples * c.perSample()
	done := map[string]any{
		"samples_ns": samples, "elapsed_ns": last - firstSend, "attempted": all, "accepted": all,
		"delivered": received.Counts.Delivered, "responder_sum": received.Counts.Sum,
	}
	if !c.IsStream() {
		done["initiator_sum"] = answers.Sum
		done["delivered"] = min(received.Counts.Delivered, answers.Delivered)
	}
	printLine(map[string]any{"done": done})
	return nil
}
