package relationdemo

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// One server for all tests, each of which has an app of its own.
var demo *Demo

func TestMain(m *testing.M) {
	var err error
	if demo, err = Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	if err := demo.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// ask makes a call that must be answered.
func ask(t *testing.T, app int, method string, request map[string]any) map[string]any {
	t.Helper()
	answer, err := demo.Call(app, method, request, "")
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func befriend(t *testing.T, app int, user, friend string) {
	t.Helper()
	ask(t, app, "FriendService/AddFriends", map[string]any{
		"userId": user, "items": []any{map[string]any{"userId": friend, "source": "Web"}}})
}

func TestFriendsAreListed(t *testing.T) {
	app := demo.NewApp(t)
	befriend(t, app, "ann", "bob")
	answer := ask(t, app, "FriendService/ListFriends", map[string]any{"userId": "bob"})
	friend := answer["friends"].([]any)[0].(map[string]any)
	if friend["userId"] != "ann" {
		t.Error(answer)
	}
}

func TestAnOverloadedServerIsAnError(t *testing.T) {
	app := demo.NewApp(t)
	_, err := demo.Call(
		app, "FriendService/ListFriends", map[string]any{"userId": "ann"},
		"code=UNAVAILABLE; reason=OVERLOADED")
	if err == nil || !strings.Contains(err.Error(), "OVERLOADED") {
		t.Error(err)
	}
}

func TestARowHasTheTimeOfTheClock(t *testing.T) {
	app := demo.NewApp(t)
	demo.Advance(t, 30*24*time.Hour)
	befriend(t, app, "ann", "bob")
	answer := ask(t, app, "FriendService/ListFriends", map[string]any{"userId": "ann"})
	var added int64
	fmt.Sscan(answer["friends"].([]any)[0].(map[string]any)["addTimeMs"].(string), &added)
	if time.UnixMilli(added).Before(time.Now().Add(29 * 24 * time.Hour)) {
		t.Error(answer)
	}
}
