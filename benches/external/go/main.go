// An external transport in Go: two processes over two pipes. To measure your library, replace the parts marked "Replace".
// Protocol: https://github.com/roundtrip-ipc/roundtrip/blob/main/benches/external/PROTOCOL.md
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"
)

const (
	headerBytes = 8
	multiplier  = 2654435761
)

// The case to measure.
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

func (c *Case) perSample() int64 { return c.Batch * c.MessagesPerOperation }
func (c *Case) isStream() bool   { return c.Scenario == "stream" }

// The header of a message as an integer. Warm-up messages have negative numbers.
func (c *Case) header(number int64) uint32 { return (c.Seed + uint32(number)) * multiplier }

// Counts of received messages.
type Counts struct {
	Delivered int64
	Sum       uint32
}

func (s *Counts) add(c *Case, number int64, message []byte) {
	header, err := strconv.ParseUint(string(message[:headerBytes]), 16, 32)
	if number < 0 {
		return
	}
	s.Sum += uint32(header)
	if err == nil && uint32(header) == c.header(number) {
		s.Delivered++
	}
}

func printLine(value any) {
	line, err := json.Marshal(value)
	if err == nil {
		os.Stdout.Write(append(line, '\n'))
	}
}

// Both processes read the wall clock, because Go's monotonic clock is private to a process. If the wall clock is adjusted,
// times are wrong.
func now() int64 { return time.Now().UnixNano() }

// Receives messages, and in "roundtrip" returns them, part after part, until the initiator closes its pipe.
func respond(c *Case, in io.Reader, out io.Writer) error {
	message := make([]byte, c.MessageBytes)
	number, end := -c.WarmupSamples*c.perSample(), int64(0)
	for {
		var counts Counts
		for end += c.Samples * c.perSample(); number < end; number++ {
			if _, err := io.ReadFull(in, message); err != nil {
				return err
			}
			counts.add(c, number, message)
			if !c.isStream() {
				if _, err := out.Write(message); err != nil {
					return err
				}
			} else if (end-number-1)%c.perSample() == 0 {
				if err := binary.Write(out, binary.LittleEndian, now()); err != nil {
					return err
				}
			}
		}
		if err := binary.Write(out, binary.LittleEndian, &counts); err != nil {
			return err
		}
	}
}

// Measures a part that begins with this sample. The first part begins with the warm-up, whose samples are negative.
func measure(c *Case, sample int64, in io.Reader, out io.Writer) error {
	var answers, received Counts
	message := bytes.Repeat([]byte{'.'}, c.MessageBytes)
	answer := make([]byte, c.MessageBytes)
	samples := make([]int64, 0, c.Samples)
	var firstSend, last int64
	first := max(sample, 0)
	for end := first + c.Samples; sample < end; sample++ {
		begin := time.Now()
		if sample == first {
			firstSend = begin.UnixNano()
		}
		for number := sample * c.perSample(); number < (sample+1)*c.perSample(); number++ {
			copy(message, fmt.Appendf(message[:0:headerBytes], "%08x", c.header(number)))
			if _, err := out.Write(message); err != nil {
				return err
			}
			if c.isStream() {
				continue
			}
			if _, err := io.ReadFull(in, answer); err != nil {
				return err
			}
			answers.add(c, number, answer)
			if sample < 0 && !bytes.Equal(answer, message) {
				return errors.New("the responder returned a different message")
			}
		}
		took := time.Since(begin).Nanoseconds()
		last = begin.UnixNano() + took
		if c.isStream() {
			if err := binary.Read(in, binary.LittleEndian, &last); err != nil {
				return err
			}
			took = last - begin.UnixNano()
		}
		if sample >= first {
			samples = append(samples, took)
		}
	}
	if err := binary.Read(in, binary.LittleEndian, &received); err != nil {
		return err
	}
	all := c.Samples * c.perSample()
	done := map[string]any{
		"samples_ns": samples, "elapsed_ns": last - firstSend, "attempted": all, "accepted": all,
		"delivered": received.Delivered, "responder_sum": received.Sum,
	}
	if !c.isStream() {
		done["initiator_sum"] = answers.Sum
		done["delivered"] = min(received.Delivered, answers.Delivered)
	}
	printLine(map[string]any{"done": done})
	return nil
}

func max(one, other int64) int64 {
	if one > other {
		return one
	}
	return other
}

func min(one, other int64) int64 {
	if one < other {
		return one
	}
	return other
}

// Starts this program as the responder, with a pipe in each direction.
//
// Replace: create the channel with your library. Its ends need Read and Write.
func start(line []byte) (*exec.Cmd, io.Reader, io.Writer, error) {
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	responder := exec.Command(os.Args[0], "responder", string(line))
	responder.Stderr = os.Stderr
	responder.ExtraFiles = []*os.File{theirIn, theirOut}
	err = responder.Start()
	theirIn.Close()
	theirOut.Close()
	return responder, ourIn, ourOut, err
}

func parse(line []byte) (Case, string) {
	var request struct {
		Protocol int  `json:"protocol"`
		Case     Case `json:"case"`
	}
	switch err := json.Unmarshal(line, &request); {
	case err != nil || request.Protocol != 1:
		return request.Case, "unsupported protocol version: expected 1"
	case request.Case.Mode != "2proc":
		return request.Case, "only mode 2proc is supported"
	case request.Case.Window != 1:
		return request.Case, "only a window of 1 is supported"
	}
	return request.Case, ""
}

func main() {
	if len(os.Args) > 2 {
		c, _ := parse([]byte(os.Args[2]))
		// Replace: this opens the responder's end.
		if respond(&c, os.NewFile(3, "in"), os.NewFile(4, "out")) != nil {
			os.Exit(1)
		}
		return
	}
	harness := bufio.NewReader(os.Stdin)
	line, _ := harness.ReadBytes('\n')
	c, unsupported := parse(line)
	if unsupported != "" {
		printLine(map[string]string{"unsupported": unsupported})
		return
	}
	responder, in, out, err := start(line)
	if err != nil {
		printLine(map[string]string{"failed": err.Error()})
		return
	}
	pids := map[string]any{
		"initiator_pid": os.Getpid(), "responder_pid": responder.Process.Pid,
		"facts": map[string]string{"go": runtime.Version()},
	}
	printLine(map[string]any{"connected": pids})
	for next := -c.WarmupSamples; ; next = max(next, 0) + c.Samples {
		// The harness sends "go" for each part, and closes standard input after the last.
		if _, err := harness.ReadBytes('\n'); err != nil {
			return
		}
		if err := measure(&c, next, in, out); err != nil {
			printLine(map[string]string{"failed": err.Error()})
			return
		}
	}
}
