// Package relationdemo starts `relationd demo` as a test double: the server of production, which
// keeps nothing. Copy this file; it needs no module.
package relationdemo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A Demo is a server that runs. Address is for any client of gRPC.
type Demo struct {
	Address string
	// Apps has the numbers of the apps that have names.
	Apps    map[string]int
	clock   string
	command *exec.Cmd
}

// Start begins a demo with these flags, or an empty one. The program is RELATIOND of the
// environment, or the one on the path.
func Start(flags ...string) (*Demo, error) {
	program := os.Getenv("RELATIOND")
	if program == "" {
		program = "relationd"
	}
	if len(flags) == 0 {
		flags = []string{"--empty"}
	}
	demo := &Demo{Apps: map[string]int{}}
	demo.command = exec.Command(program, append([]string{"demo", "--port", "0"}, flags...)...)
	demo.command.Stderr = os.Stderr
	lines, err := demo.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := demo.command.Start(); err != nil {
		return nil, err
	}
	// A server that stays silent ends, and so does the reading.
	timer := time.AfterFunc(30*time.Second, func() { demo.command.Process.Kill() })
	defer timer.Stop()
	for scanner := bufio.NewScanner(lines); scanner.Scan(); {
		line := scanner.Text()
		if line == "ready" {
			return demo, nil
		}
		demo.take(line)
	}
	return nil, fmt.Errorf("relationd demo ended: %v", demo.command.Wait())
}

func (demo *Demo) take(line string) {
	switch {
	case strings.HasPrefix(line, "listening on "):
		demo.Address = strings.TrimPrefix(line, "listening on ")
	case strings.HasPrefix(line, "clock on "):
		demo.clock = strings.TrimPrefix(line, "clock on ")
	case strings.HasPrefix(line, "app "):
		place := strings.LastIndex(line, " is ")
		var number int
		if _, err := fmt.Sscan(line[place+len(" is "):], &number); err == nil {
			demo.Apps[line[len("app "):place]] = number
		}
	}
}

// Stop ends the demo, with all that it holds.
func (demo *Demo) Stop() error {
	if err := demo.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return demo.command.Wait()
}

// NewApp makes an app for one test, whose users no other test sees, and returns the number for
// `x-app-id`. Users need no import there: the first call that names one makes it.
func (demo *Demo) NewApp(t testing.TB) int {
	t.Helper()
	settings := map[string]any{"makesAccountsImplicitly": true}
	answer, err := demo.Call(
		0, "AppService/CreateApp", map[string]any{"name": t.Name(), "settings": settings}, "")
	if err != nil {
		t.Fatal(err)
	}
	return int(answer["app"].(map[string]any)["appId"].(float64))
}

// Call makes a call in JSON, such as "FriendService/ListFriends". App 0 is none. A fault is a text
// such as "code=UNAVAILABLE; reason=OVERLOADED", or empty.
func (demo *Demo) Call(
	app int, method string, request map[string]any, fault string,
) (map[string]any, error) {
	headers := map[string]string{}
	if app != 0 {
		headers["x-app-id"] = fmt.Sprint(app)
	}
	if fault != "" {
		headers["x-demo-fault"] = fault
	}
	return post("http://"+demo.Address+"/relation.v1."+method, request, headers)
}

// Advance moves the clock of the server ahead.
func (demo *Demo) Advance(t testing.TB, time time.Duration) {
	t.Helper()
	change := map[string]any{"advance_ms": time.Milliseconds()}
	if _, err := post(demo.clock, change, nil); err != nil {
		t.Fatal(err)
	}
}

func post(
	url string, value map[string]any, headers map[string]string,
) (map[string]any, error) {
	body, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest("POST", url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("content-type", "application/json")
	for name, text := range headers {
		request.Header.Set(name, text)
	}
	client := http.Client{Timeout: 90 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s", text)
	}
	answer := map[string]any{}
	return answer, json.Unmarshal(text, &answer)
}
