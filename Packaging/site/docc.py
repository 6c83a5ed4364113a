"""Pages of Markdown from DocC's archive of the client.

DocC's own pages need a server and scripts. These say the same to a reader who opens a file: each
article, each type with its members, and a page of each module.
"""

import json
import pathlib

ROOT = "doc://"


class Archive:
    """The render nodes of an archive, by their identifiers."""

    def __init__(self, folder, modules=()):
        """The nodes of some modules; of all modules if none is named."""
        self.nodes = {}
        chosen = {name.lower() for name in modules}
        documentation = pathlib.Path(folder, "data/documentation")
        for path in sorted(documentation.glob("**/*.json")):
            module = path.relative_to(documentation).parts[0].removesuffix(".json")
            if not chosen or module in chosen:
                node = json.loads(path.read_text())
                self.nodes[node["identifier"]["url"]] = node
        # A type in another type is a member of that one's page.
        self.pages = {
            identifier: page for identifier, node in self.nodes.items()
            if (page := self.page(identifier, node)) is not None}

    @staticmethod
    def page(identifier, node):
        """The page of a node: an article, a module, or a type of a module; None of a member."""
        parts = identifier.removeprefix(ROOT).split("/")[2:]
        if node["metadata"]["role"] == "article":
            return f"{parts[-1]}.md"
        if len(parts) == 1:
            return "index.md" if parts == ["RelationClient"] else f"{parts[0]}/index.md"
        if len(parts) == 2 and not generated(node):
            return f"{parts[0]}/{parts[1]}.md"
        return None

    def write(self, folder):
        """Writes all pages below a folder, and returns their paths in it."""
        for identifier, page in self.pages.items():
            path = pathlib.Path(folder, page)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(Page(self, page).text(identifier))
        return sorted(self.pages.values())


def generated(node):
    """Whether DocC made the node, as a collection of what a protocol gives."""
    return node["metadata"].get("symbolKind") is None and node["metadata"]["role"] != "collection"


class Page:
    """The writer of one page."""

    def __init__(self, archive, page):
        self.archive = archive
        # The way from the page's folder to that of all pages.
        self.up = "../" * (len(pathlib.PurePosixPath(page).parts) - 1)
        self.references = {}

    def text(self, identifier):
        """The Markdown of the node and, if it is a type, of its members."""
        node = self.archive.nodes[identifier]
        lines = [f"# {node['metadata']['title']}", ""]
        lines += self.body(node)
        for section in node.get("topicSections", []):
            entries = [entry for one in section["identifiers"] if (entry := self.entry(one, 3))]
            if entries:
                lines += [f"## {section['title']}", ""]
                lines += [line for entry in entries for line in entry]
        return "\n".join(lines).rstrip() + "\n"

    def body(self, node, level=0):
        """A node's abstract, declaration, parameters and discussion."""
        self.references = node.get("references", {})
        lines = []
        if "abstract" in node:
            lines += [self.inline(node["abstract"]), ""]
        for section in node.get("primaryContentSections", []):
            if section["kind"] == "declarations":
                declaration = "".join(
                    token["text"] for token in section["declarations"][0]["tokens"])
                lines += ["```swift", declaration, "```", ""]
            elif section["kind"] == "parameters":
                for parameter in section["parameters"]:
                    about = " ".join(self.blocks(parameter["content"])).strip()
                    lines.append(f"- `{parameter['name']}`: {about}")
                lines.append("")
            elif section["kind"] == "content":
                # A heading that DocC puts before the discussion says nothing.
                content = section["content"]
                if content and content[0].get("text") in ("Overview", "Discussion"):
                    content = content[1:]
                lines += self.blocks(content, level)
        return lines

    def entry(self, identifier, level):
        """The lines of a topic: a link to its page, or the member itself."""
        node = self.archive.nodes.get(identifier)
        if node is None or generated(node) and node["metadata"]["role"] != "article":
            return None
        if identifier in self.archive.pages:
            link = self.link(identifier, node["metadata"]["title"])
            self.references = node.get("references", {})
            return [f"- {link}: {self.inline(node.get('abstract', []))}", ""]
        lines = [f"{'#' * level} {node['metadata']['title'].replace('_', chr(92) + '_')}", ""]
        lines += self.body(node, level)
        for section in node.get("topicSections", []) if level < 5 else []:
            for one in section["identifiers"]:
                lines += self.entry(one, level + 1) or []
        return lines

    def link(self, identifier, title):
        """A link to the page of a node or of the type around it."""
        around = identifier
        while around not in self.archive.pages:
            around, slash, _ = around.rpartition("/")
            if not slash:
                return f"`{title}`"
        is_article = self.archive.nodes[around]["metadata"]["role"] == "article"
        words = title if is_article else f"`{title}`"
        return f"[{words}]({self.up}{self.archive.pages[around]})"

    def inline(self, items):
        """Markdown of a line's parts."""
        text = ""
        for item in items:
            match item["type"]:
                case "text": text += item["text"]
                case "codeVoice": text += f"`{item['code']}`"
                case "reference":
                    known = self.references.get(item["identifier"], {})
                    title = known.get("title", item["identifier"].rpartition("/")[2])
                    if known.get("type") == "link":
                        text += f"[{title}]({known['url']})"
                    else:
                        text += self.link(item["identifier"], title)
                case "emphasis": text += f"*{self.inline(item['inlineContent'])}*"
                case "strong": text += f"**{self.inline(item['inlineContent'])}**"
                case kind: raise ValueError(f"DocC has a text of kind {kind}")
        return text

    def blocks(self, content, level=0):
        """Markdown of blocks; headings are below `level`."""
        lines = []
        for block in content:
            match block["type"]:
                case "paragraph": lines += [self.inline(block["inlineContent"]), ""]
                case "heading":
                    lines += [f"{'#' * min(6, level + block['level'])} {block['text']}", ""]
                case "codeListing":
                    lines += [f"```{block['syntax'] or ''}", *block["code"], "```", ""]
                case "unorderedList" | "orderedList":
                    mark = "- " if block["type"] == "unorderedList" else "1. "
                    for item in block["items"]:
                        first, *others = self.blocks(item["content"])
                        lines.append(mark + first)
                        lines += [f"    {line}".rstrip() for line in others]
                    lines.append("")
                case "aside":
                    lines += [f'!!! {block["style"].lower()} "{block.get("name", "Note")}"']
                    lines += [f"    {line}".rstrip() for line in self.blocks(block["content"])]
                    lines.append("")
                case "table":
                    rows = [[" ".join(self.blocks(cell)).strip() for cell in row]
                            for row in block["rows"]]
                    rows.insert(1, ["---"] * len(rows[0]))
                    lines += ["| " + " | ".join(row) + " |" for row in rows] + [""]
                case kind: raise ValueError(f"DocC has a block of kind {kind}")
        return lines
