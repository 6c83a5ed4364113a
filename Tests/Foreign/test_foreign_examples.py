"""The examples of other languages, built by their own makefiles, against a new server each."""

import os
import subprocess

import pytest
from examples import (
    EXAMPLES, assert_it_says_that_no_server_listens, assert_it_tells_the_story_twice,
)
from relationd import Relationd, executable


@pytest.fixture(scope="module", params=["Cpp", "Go", "Java", "Node", "Php", "Ruby"])
def example(request):
    folder = EXAMPLES / request.param
    subprocess.run(["make", "-j2", "-C", str(folder)], check=True)
    return [str(folder / "first-story")]


def test_a_foreign_example_tells_its_story_as_often_as_it_is_run(example, tmp_path):
    with Relationd(tmp_path / "data") as server:
        assert_it_tells_the_story_twice(example, server.address)


def test_a_foreign_example_says_that_no_server_listens(example):
    assert_it_says_that_no_server_listens(example)


# The helpers for tests of a client; Tests/Python has that for pytest.


def test_the_helper_for_go_passes_its_own_tests(tmp_path):
    environment = {**os.environ, "RELATIOND": executable("relationd")}
    done = subprocess.run(
        ["go", "test", "-count=1", "./..."], cwd=EXAMPLES / "Testing" / "Go", env=environment,
        capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


PROGRAM = """
    import java.time.Duration;

    class Program {
        public static void main(String[] words) throws Exception {
            try (RelationDemo relation = new RelationDemo("--empty", "--app", "chat")) {
                int app = relation.newApp();
                relation.call(app, "FriendService/AddFriends",
                    "{\\"userId\\":\\"ann\\",\\"items\\":[{\\"userId\\":\\"bob\\","
                    + "\\"source\\":\\"Web\\"}]}", "");
                relation.advance(Duration.ofDays(7));
                System.out.println(relation.apps + relation.call(
                    app, "FriendService/ListFriends", "{\\"userId\\":\\"bob\\"}", ""));
                try {
                    relation.call(app, "FriendService/ListFriends", "{\\"userId\\":\\"bob\\"}",
                        "code=UNAVAILABLE; reason=OVERLOADED");
                } catch (java.io.IOException error) {
                    System.out.println(error.getMessage());
                }
            }
        }
    }
"""


def test_the_helper_for_java_does_what_it_says(tmp_path):
    (tmp_path / "Program.java").write_text(PROGRAM)
    helper = EXAMPLES / "Testing" / "Java" / "RelationDemo.java"
    subprocess.run(
        ["javac", "-d", str(tmp_path), str(helper), "Program.java"], cwd=tmp_path, check=True)
    done = subprocess.run(
        ["java", "-cp", str(tmp_path), "Program"], capture_output=True, text=True, timeout=120,
        env={**os.environ, "RELATIOND": executable("relationd")}, check=True)
    assert done.stdout.startswith("{chat=2}") and '"userId":"ann"' in done.stdout
    assert "OVERLOADED" in done.stdout


# What JUnit's launcher loads, of Debian's package junit5 and what that needs.
JUNIT = [
    f"/usr/share/java/{name}.jar" for name in (
        "junit-jupiter-api", "junit-jupiter-engine", "junit-platform-commons",
        "junit-platform-console", "junit-platform-engine", "junit-platform-launcher",
        "junit-platform-reporting", "opentest4j", "opentest4j-reporting-events",
        "opentest4j-reporting-schema", "apiguardian-api", "picocli")]


def test_the_extension_for_junit_passes_its_own_tests(tmp_path):
    path = ":".join([*JUNIT, str(tmp_path)])
    sources = sorted((EXAMPLES / "Testing" / "Java").glob("*.java"))
    subprocess.run(["javac", "-cp", path, "-d", tmp_path, *sources], check=True)
    done = subprocess.run(
        ["java", "-cp", path, "org.junit.platform.console.ConsoleLauncher", "--class-path", tmp_path,
         "--select-class", "FriendsTest", "--disable-banner", "--disable-ansi-colors"],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "RELATIOND": executable("relationd")})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[         3 tests successful      ]" in done.stdout
