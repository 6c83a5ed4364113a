"""The table of docs/clients.md: by which names each client has each feature.

    python3 Tests/Python/client_features.py

The names are those of the tables on the clients' own pages, so a page and the table say the same.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "Packaging" / "clients"
PAGE = ROOT / "docs" / "clients.md"
LANGUAGES = {
    "python": "Python", "typescript": "TypeScript", "go": "Go", "java": "Java", "php": "PHP",
    "csharp": "C#",
}  # fmt: skip
FEATURES = ("credential", "authorities", "deadline", "retries", "lists", "changes", "errors")
BEGIN = "<!-- Made by Tests/Python/client_features.py from the pages of the clients. -->\n"
END = "<!-- The end of what is made. -->\n"


def rows(language):
    """The rows of the table on a client's page, by their first column."""
    text = (CLIENTS / language / "README.md").read_text()
    return dict(re.findall(r"^\| (\w+) \| (.*) \|$", text, re.M))


def names(row):
    """The names in a row, as code."""
    return re.findall(r"`([^`]+)`", row)


def table():
    lines = [f"| | {' | '.join(LANGUAGES.values())} |", "|---" * (len(LANGUAGES) + 1) + "|"]
    told = {language: rows(language) for language in LANGUAGES}
    for feature in FEATURES:
        cells = [
            ", ".join(f"`{name}`" for name in names(told[language][feature])) or
            told[language][feature].partition(",")[0] for language in LANGUAGES]
        lines.append(f"| {feature} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def made(text):
    """The page with the present table."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(made(PAGE.read_text()))
