"""Labels that terminals, spreadsheets, browsers, Markdown and LaTeX would interpret, and checks that they did not."""

import csv
import io
import re
from html.parser import HTMLParser
from unicodedata import category

#: labels by what they attack; all of them can be cells of a file of ratings
LABELS = {
    "terminal": "\x1b[31mred\x1b[0m",
    "title of a terminal": "\x1b]0;owned\x07x",
    "C1 control": "a\x9b31mb",
    "backspace": "safe\x08\x08\x08\x08evil",
    "direction": "abc\u202egnp.exe",
    "isolate": "\u2066x\u2069y",
    "zero width": "pay\u200bpal",
    "line separator": "one\u2028two",
    "carriage return": "shown\rhidden",
    "new line": "first\nsecond | third",
    "formula": '=HYPERLINK("http://example.org","x")',
    "plus formula": "+1+cmd|' /C calc'!A0",
    "minus formula": "-2+3+cmd|' /C calc'!A0",
    "at formula": "@SUM(1+1)*cmd",
    "wide formula": "＝1+1",
    "bar": "a | b | c",
    "backtick": "`code` and ```",
    "link": "[click](javascript:alert(1))",
    "image": "![x](http://example.org/x.png)",
    "script": "<script>alert(1)</script>",
    "attribute": "\" onmouseover='alert(1)' x=\"",
    "comment": "<!-- x --> <img src=x onerror=alert(1)>",
    "entity": "&lt;b&gt; &amp; &#x202e;",
    "heading": "# heading",
    "emphasis": "*a* _b_ ~~c~~",
    "LaTeX": r"\input{/etc/passwd} $x^2$ a & b % c # d_e {f} ~",
    "LaTeX option": "[2cm] after a line break",
    "LaTeX star": "* after a line break",
    "markup of rich": "[bold red]x[/] {task.id} {0}",
    "format": "%s %n {0.__class__}",
    "quotes": 'it\'s "quoted" ,;\t x',
}

_SAFE = "\n\u200c\u200d"


def hidden_characters(words):
    """Return the characters of a printed text that control a terminal, change its direction or cannot be seen."""
    kinds = {letter: category(letter) for letter in words if letter not in _SAFE}
    return {letter for letter, kind in kinds.items() if kind[0] == "C" or kind in ("Zl", "Zp")}


def assert_safe_text(words):
    """Require that a text printed on a terminal cannot control it."""
    assert hidden_characters(words) == set(), f"{hidden_characters(words)!r} in {words!r}"


def assert_safe_csv(content):
    """Require that no cell is run as a formula, and that all rows have the same length."""
    rows = list(csv.reader(io.StringIO(content, newline=""), strict=True))
    assert len({len(row) for row in rows}) == 1
    for cell in (cell for row in rows for cell in row):
        assert not re.match(r"[=+\-@\t\r\n＝＋－＠]", cell) or _is_number(cell), f"formula {cell!r}"
    return rows


def _is_number(cell):
    try:
        float(cell.replace(",", ""))
    except ValueError:
        return False
    return True


_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "section", "p", "ul", "li", "div"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "details", "summary"),
    *("blockquote", "strong", "pre", "svg", "desc", "text", "rect", "line", "path"),
}
_VOID = frozenset({"meta", "br", "rect", "line", "path"})


class _Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.texts = [], []

    def handle_starttag(self, tag, attributes):
        assert tag in _TAGS, f"element {tag}"
        for name, value in attributes:
            assert not name.startswith("on"), f"attribute {name}"
            assert name not in ("href", "src") or not value.startswith("javascript"), value
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in _VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"unbalanced {tag}"

    def handle_comment(self, data):
        raise AssertionError(f"comment {data}")

    def handle_data(self, data):
        self.texts.append(data)


def assert_safe_html(content):
    """Require that a page has only elements that we write, all closed, and no hidden characters; return its text."""
    page = _Page()
    page.feed(content)
    page.close()
    assert page.open == []
    assert_safe_text(content)
    return "".join(page.texts)


def assert_safe_markdown(content):
    """Require that a table has the same number of cells in all rows, and that nothing in it is markup or HTML."""
    assert_safe_text(content)
    parts = content.rstrip("\n").split("\n\n")
    tables = [part.split("\n") for part in parts if part.startswith("|")]
    notes = "\n".join(part for part in parts if not part.startswith("|"))
    for lines in tables:
        assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines}) == 1, lines
    rows = [row for lines in tables for row in (lines[0], *lines[2:])]
    bare = re.sub(r"\\[!-/:-@\[-`{-~]", "§", "\n".join([*rows, notes]))
    assert re.search(r"[`\[\]]|<[A-Za-z/!?]|&[A-Za-z#]|(?<![\d.])\*|~~", bare) is None, bare
    assert all(re.match(r"- (?! *([#>+=-]|\d+[.)]))", note) for note in notes.splitlines() if note), notes


def assert_safe_latex(content):
    """Require that the only commands are ours, and that all rows have the same number of cells."""
    assert_safe_text(content)
    assert set(re.findall(r"\\([A-Za-z]+)", content)) <= {
        *("begin", "end", "centering", "caption", "toprule", "midrule", "bottomrule", "par", "smallskip", "parbox"),
        *("linewidth", "footnotesize", "textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater"),
        *("textbar", "textasciigrave"),
    }
    body = content.partition("\\toprule")[2].partition("\\bottomrule")[0]
    rows = [row for row in body.replace("\\midrule", "").split("\\\\") if row.strip()]
    assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows}) == 1
    assert re.search(r"(\\\\|rule)\s*[\[*]", content) is None
    plain = re.sub(r"\\[&%$#_{}]", "", content)
    assert re.search(r"(?<!\\)[%$#_^~]", plain) is None
    depth = 0
    for letter in plain:
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0
    assert depth == 0


def batches(size=4):
    """Return all labels in lists of a few, so that tables of them stay small."""
    labels = list(LABELS.values())
    return [labels[i : i + size] for i in range(0, len(labels), size)]


def rows_of(labels):
    """Return ratings of two raters on a dozen subjects who use all of some labels, and agree on most subjects."""
    n = len(labels)
    pairs = [(i, i) for i in range(n)] * 2 + [(i, (i + 1) % n) for i in range(n)]
    return [(labels[i], labels[j]) for i, j in pairs]


def file_of(folder, labels):
    """Write ratings whose labels, raters, groups and name are hostile, and return the path of the file."""
    path = folder / f"{labels[0].replace('/', '-')}{labels[-1].replace('/', '-')}\udcff.csv"  # with a byte 0xff
    names = [f"{labels[0]} A", f"{labels[-1]} B", "place"]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(names)
        writer.writerows((*row, labels[i % 2]) for i, row in enumerate(rows_of(labels)))
    return path
