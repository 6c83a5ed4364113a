"""The acts of a person on a page of the console: clicks, types and presses keys."""

# The visible element of a kind whose text, name or label begins with a text; null if there is none.
# `user_id` finds a field that is labelled "User ID" too.
FIND = """
    const [kind, text, within] = args;
    const plain = text => text.trim().replaceAll('_', ' ').toLowerCase();
    const named = element => [element.getAttribute('aria-label'), element.textContent,
        ...[...element.labels ?? []].map(label => label.textContent)];
    return [...document.querySelectorAll(kind)].filter(element => element.checkVisibility() &&
        (!within || element.closest(within))).find(element =>
        named(element).some(name => name && plain(name).startsWith(plain(text)))) ?? null;
"""
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
FIELDS = "input, textarea, select"
TAB, ENTER, ESCAPE, BACKSPACE = "\ue004", "\ue007", "\ue00c", "\ue003"


class Hands:
    """The hands of a person at `console`."""

    def __init__(self, console):
        self.console = console

    def find(self, kind, text, within=None):
        """An element once it is there, by the beginning of its text or of its label."""
        found = self.console.until(f"(() => {{ {FIND} }})()", kind, text, within)
        return found[ELEMENT]

    def _do(self, what, element, **body):
        self.console._say("POST", f"/session/{self.console.session}/element/{element}/{what}", body)

    def click(self, text, kind="button, a, summary", within=None):
        element = self.find(kind, text, within)
        try:
            self._do("click", element)
        except AssertionError as error:
            # It lies below what stays at the end of a dialog: a person scrolls.
            if "click intercepted" in str(error):
                self.console.ask(
                    "args[0].scrollIntoView({block: 'center'})", {ELEMENT: element})
            # Or the page drew the element anew between the look and the click.
            elif "stale element reference" not in str(error):
                raise
            self._do("click", self.find(kind, text, within))

    def type(self, label, text, within=None):
        """Types into the field of a label, in place of what it has."""
        field = self.find(FIELDS, label, within)
        self._do("clear", field)
        # The clearing alone is not an input for the page.
        self._do("value", field, text=text or f"x{BACKSPACE}")

    def choose(self, label, value):
        """Chooses in a list, or ticks a box."""
        try:
            self._do("value", self.find("select", label), text=value)
        except AssertionError as error:
            # The page drew the list anew between the look and the choice.
            if "stale element reference" not in str(error):
                raise
            self._do("value", self.find("select", label), text=value)

    def tick(self, label, within=None):
        """Ticks a box by the blank key, or takes that back."""
        self._do("value", self.find("input", label, within), text=" ")

    def press(self, keys):
        """Presses keys, one after the other, wherever the focus is."""
        actions = [
            {"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        path = f"/session/{self.console.session}/actions"
        self.console._say(
            "POST", path, {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def sees_failed_calls(self, *statuses):
        """Takes what the browser's console says of calls that a test has refused, and no more."""
        for entry in self.console.complaints():
            told = entry["message"]
            assert "Failed to load resource" in told, told
            assert not statuses or any(f"status of {status}" in told for status in statuses), told
