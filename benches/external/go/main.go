// An external transport in Go: two processes over two pipes. PROTOCOL.md says what is said.
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
	headBytes = 8
	spread    = 2654435761
)

// What one repetition is to do.
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

// The head of a message as a number; those of the warm-up have the numbers below 0.
func (c *Case) head(number int64) uint32 { return (c.Seed + uint32(number)) * spread }

// What a receiver has seen.
type Seen struct {
	Delivered int64
	Sum       uint32
}

func (s *Seen) add(c *Case, number int64, message []byte) {
	head, err := strconv.ParseUint(string(message[:headBytes]), 16, 32)
	if number < 0 {
		return
	}
	s.Sum += uint32(head)
	if err == nil && uint32(head) == c.head(number) {
		s.Delivered++
	}
}

func say(answer any) {
	line, err := json.Marshal(answer)
	if err == nil {
		os.Stdout.Write(append(line, '\n'))
	}
}

// Go keeps its monotonic clock to itself: this one both processes read, and a step of it shows as a wrong time.
func now() int64 { return time.Now().UnixNano() }

// Sends back what it receives, part after part, until there is no more.
func respond(c *Case, in io.Reader, out io.Writer) error {
	message := make([]byte, c.MessageBytes)
	number, end := -c.WarmupSamples*c.perSample(), int64(0)
	for {
		var seen Seen
		for end += c.Samples * c.perSample(); number < end; number++ {
			if _, err := io.ReadFull(in, message); err != nil {
				return err
			}
			seen.add(c, number, message)
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
		if err := binary.Write(out, binary.LittleEndian, &seen); err != nil {
			return err
		}
	}
}

// Measures the samples from this one on; the first part begins with those of the warm-up, which are below 0.
func measure(c *Case, sample int64, in io.Reader, out io.Writer) error {
	var answers, seen Seen
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
			copy(message, fmt.Appendf(message[:0:headBytes], "%08x", c.head(number)))
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
				return errors.New("an answer is not what was sent")
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
	if err := binary.Read(in, binary.LittleEndian, &seen); err != nil {
		return err
	}
	all := c.Samples * c.perSample()
	done := map[string]any{
		"samples_ns": samples, "elapsed_ns": last - firstSend, "attempted": all, "accepted": all,
		"delivered": seen.Delivered, "responder_sum": seen.Sum,
	}
	if !c.isStream() {
		done["initiator_sum"] = answers.Sum
		done["delivered"] = min(seen.Delivered, answers.Delivered)
	}
	say(map[string]any{"done": done})
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

// Starts this program as the responder, with a pipe each way.
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
	var asked struct {
		Protocol int  `json:"protocol"`
		Case     Case `json:"case"`
	}
	switch err := json.Unmarshal(line, &asked); {
	case err != nil || asked.Protocol != 1:
		return asked.Case, "another version of the protocol: expected 1"
	case asked.Case.Mode != "2proc":
		return asked.Case, "it has two processes: expected 2proc"
	case asked.Case.Window != 1:
		return asked.Case, "it has one message on its way: expected a window of 1"
	}
	return asked.Case, ""
}

func main() {
	if len(os.Args) > 2 {
		c, _ := parse([]byte(os.Args[2]))
		if respond(&c, os.NewFile(3, "in"), os.NewFile(4, "out")) != nil {
			os.Exit(1)
		}
		return
	}
	harness := bufio.NewReader(os.Stdin)
	line, _ := harness.ReadBytes('\n')
	c, unsupported := parse(line)
	if unsupported != "" {
		say(map[string]string{"unsupported": unsupported})
		return
	}
	responder, in, out, err := start(line)
	if err != nil {
		say(map[string]string{"failed": err.Error()})
		return
	}
	pids := map[string]any{
		"initiator_pid": os.Getpid(), "responder_pid": responder.Process.Pid,
		"facts": map[string]string{"go": runtime.Version()},
	}
	say(map[string]any{"connected": pids})
	for next := -c.WarmupSamples; ; next = max(next, 0) + c.Samples {
		// The harness says "go" for each part, and closes our standard input when it wants no more.
		if _, err := harness.ReadBytes('\n'); err != nil {
			return
		}
		if err := measure(&c, next, in, out); err != nil {
			say(map[string]string{"failed": err.Error()})
			return
		}
	}
}
