"""The comments of the contract as paragraphs, for pages that break lines by themselves."""

import re


def paragraphs(comment):
    """The parts of a comment: a text is a paragraph, and a list of texts is a list."""
    parts, is_open = [], False
    for line in comment.splitlines():
        if not line.strip():
            is_open = False
        elif line.startswith("- "):
            if not (parts and isinstance(parts[-1], list) and is_open):
                parts.append([])
            parts[-1].append(line[2:].strip())
            is_open = True
        elif is_open and isinstance(parts[-1], list) and line.startswith(" "):
            parts[-1][-1] += f" {line.strip()}"
        elif is_open and not isinstance(parts[-1], list):
            parts[-1] += f" {line.strip()}"
        else:
            parts.append(line.strip())
            is_open = True
    return parts


def prose(comment):
    """A comment as Markdown whose paragraphs have one line each."""
    return "\n\n".join(
        "\n".join(f"- {item}" for item in part) if isinstance(part, list) else part
        for part in paragraphs(comment))


def first_sentence(comment):
    """The first sentence of a comment, without the full stop."""
    first = next(iter(paragraphs(comment)), "")
    end = re.search(r"[.:](?= [A-Z`]|$)", first)
    return first[:end.start()] if end else first
