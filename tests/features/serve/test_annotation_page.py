"""The annotation page in a browser: every key, the mouse, conflicts, other scripts, and a whole session."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import ramify
from ramify.annotation import Session
from ramify.annotation.background import BackgroundTraining
from ramify.data import read
from ramify.parsing import Parser
from support.annotation import annotating

IDLE = "body[data-busy='0']"  # the page has no answer to wait for
DRAWN = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 30)))"


@pytest.fixture(scope="module")
def english():
    return ramify.load("en")


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra test)")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("there is no Chromium on this machine; Debian's package is called chromium")
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield found
        found.close()


class Page:
    """What an annotator does with the page, and what is in the session then."""

    def __init__(self, page, port, session, path):
        self.page = page
        self.session = session
        self.path = path
        self.problems = []
        page.on("console", lambda message: self.problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        origin = f"http://127.0.0.1:{port}/"
        page.on("request", lambda request: request.url.startswith(origin) or self.problems.append(request.url))
        page.goto(origin)
        page.wait_for_selector("#tree:focus")

    def press(self, *keys):
        """Press keys that change nothing in the file."""
        for key in keys:
            self.page.keyboard.press(key)
            self.page.wait_for_selector(IDLE)
            self.page.evaluate(DRAWN)

    def act(self, *keys, name="act"):
        """Press keys; the last one changes something."""
        self.press(*keys[:-1])
        with self.page.expect_response(f"**/api/annotate/{name}") as answer:
            self.page.keyboard.press(keys[-1])
        assert answer.value.ok, answer.value.text()
        self.page.wait_for_selector(IDLE)
        self.page.evaluate(DRAWN)

    def clicked(self, *selectors, **options):
        """Click; the last one changes something."""
        for selector in selectors[:-1]:
            self.page.click(selector, **options)
        with self.page.expect_response("**/api/annotate/act"):
            self.page.click(selectors[-1], **options)
        self.page.wait_for_selector(IDLE)
        self.page.evaluate(DRAWN)

    def wait(self, holds):
        """Wait until something holds."""
        for _ in range(400):
            if holds():
                return
            self.page.wait_for_timeout(25)
        pytest.fail("it does not come")

    @property
    def cursor(self):
        return int(self.page.get_attribute(".word.cursor", "data-target"))

    @property
    def number(self):
        return int(self.page.inner_text("header nav span").split("/")[0]) - 1

    def word(self, word):
        return self.session.view(self.number)["words"][word - 1]

    @property
    def said(self):
        return self.page.inner_text(".spoken")

    @property
    def dialog(self):
        return self.page.locator("[role=dialog]")


@pytest.fixture
def open_page(browser, english, tmp_path):
    opened = []

    def make(source, parser=english.parser, name="page.conllu", **options):
        path = tmp_path / name
        if isinstance(source, Path):
            shutil.copy(source, path)
        else:
            path.write_text(source)
        server = annotating(path, parser, **options)
        port, _, session = server.__enter__()
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        opened.append((server, Page(page, port, session, path)))
        return opened[-1][1]

    yield make
    for server, page in opened:
        page.page.close()
        server.__exit__(None, None, None)
    assert [problem for _, page in opened for problem in page.problems] == []


def test_keys_that_move_and_show(open_page, sample):
    page = open_page(sample)
    page.press("PageDown")
    assert page.number == 1
    page.press("ArrowRight", "ArrowRight", "ArrowLeft")
    assert page.cursor == 2
    assert page.said.startswith("word 2: 's")
    page.press("ArrowUp")
    assert page.cursor == 1
    page.press("ArrowDown")
    assert page.cursor == 2
    page.press("End")
    assert page.cursor == 16
    page.press("Home", "Tab")
    doubtful = [w["id"] for w in page.session.view(1)["words"] if w["probability"] < 0.9]
    assert page.cursor == next(word for word in doubtful if word > 1)
    page.press("Tab", "Shift+Tab")
    assert page.cursor == next(word for word in doubtful if word > 1)
    page.press("p")
    assert page.page.locator(".runner").count() > 0
    page.press("t")
    assert page.page.locator("table.words tbody tr").count() == 16
    page.press("t", "?")
    assert "Alt-click" in page.dialog.inner_text()
    page.press("Escape", "PageUp")
    assert page.number == 0
    with page.page.expect_response("**/api/annotate/explain"):
        page.page.keyboard.press("e")
    page.page.wait_for_selector("[role=dialog] pre")
    assert "Why is" in page.dialog.inner_text()
    page.press("Escape", "/")
    page.page.keyboard.type("form:Arafat")
    with page.page.expect_response("**/api/annotate/search"):
        page.page.keyboard.press("Enter")
    page.page.click("[role=dialog] li button")
    page.wait(lambda: page.number == 1)
    assert page.cursor == 1


def test_keys_that_change(open_page, sample):
    page = open_page(sample)
    page.press("PageDown")
    page.press(*["ArrowRight"] * 8)
    second = page.word(9)["heads"][1][0]
    page.act("2")
    assert page.word(9)["head"] == second
    assert page.page.inner_text(".status") in ("✓ saved", "✓ file written")
    page.act("Control+z", name="undo")
    assert page.word(9)["mark"] == {}
    page.act("Control+Shift+z", name="redo")
    assert page.word(9)["head"] == second
    page.act("Delete")
    assert "head" not in page.word(9)["mark"]
    page.press("h")
    page.page.keyboard.type("4")
    page.act("Enter")
    assert page.word(9)["head"] == 4
    page.act("x")
    assert page.word(9)["mark"]["forbidden"] == [4]
    page.press("l")
    page.page.keyboard.type("xco")
    page.act("Enter")
    assert page.word(9)["label"] == "xcomp"
    page.act("r")
    assert page.word(9)["head"] == 0
    page.act("Control+z", name="undo")
    page.press("Home")
    page.act("Space")
    assert page.word(1)["mark"] == {"locked": True}
    assert page.cursor == 2
    page.act("k")
    page.press("n")
    page.page.keyboard.type("ask <i>Ann</i>")
    page.act("Enter")
    assert page.session.view(1)["note"] == "ask <i>Ann</i>"
    assert "ask <i>Ann</i>" in page.page.inner_text(".note")
    page.press("u")
    page.page.keyboard.type("X")
    page.act("Enter")
    assert page.word(2)["upos"] == "X"
    assert page.page.evaluate("document.activeElement.id") == "tree"
    page.press("u")
    for column in ("XPOS", "FEATS", "LEMMA"):
        page.page.keyboard.press("Tab")
        assert page.page.evaluate("document.activeElement.dataset.column") == column
    page.act(*"own", "Enter")
    assert page.word(2)["lemma"].endswith("own")
    count = len(page.session)
    page.press("Home", *["ArrowRight"] * 8, "b")
    page.act("2")
    assert len(page.session) == count + 1
    page.act("Control+z", name="undo")
    page.act("Control+s", name="save")
    assert page.path.read_bytes() == page.session.document.content
    page.act("s")
    page.wait(lambda: page.number == 2)
    assert page.session.view(1)["state"] == "skipped"
    page.act("Enter")
    page.wait(lambda: page.number == 3)
    assert page.session.view(2)["state"] == "done"


def test_mouse(open_page, sample):
    page = open_page(sample)
    page.press("PageDown")
    page.clicked(".word[data-target='9']", ".word[data-target='4']")
    assert page.word(9)["head"] == 4
    page.clicked(".word[data-target='9']", ".root")
    assert page.word(9)["head"] == 0
    page.act("Control+z", name="undo")
    boxes = [page.page.locator(f".word[data-target='{word}'] rect").bounding_box() for word in (3, 6)]
    page.page.mouse.move(boxes[0]["x"] + 9, boxes[0]["y"] + 9)
    page.page.mouse.down()
    page.page.mouse.move(boxes[1]["x"] + 9, boxes[1]["y"] + 9, steps=3)
    with page.page.expect_response("**/api/annotate/act"):
        page.page.mouse.up()
    page.page.evaluate(DRAWN)
    assert page.word(3)["head"] == 6
    page.clicked(".arc[data-word='5'] .label", modifiers=["Alt"])
    assert page.word(5)["mark"]["forbidden"] == [6]
    page.page.click(".arc[data-word='8'] .label")
    page.clicked("[role=option] >> nth=1")
    assert page.word(8)["mark"]["label"] == page.word(8)["label"]
    page.wait(lambda: page.page.locator(".heads tbody tr").count() > 1)
    page.page.click(".word[data-target='7']")
    page.press("Escape")
    assert page.page.locator(".word.armed").count() == 0


def moving(session, number):
    """Return a word, its second head, and what else that moves."""
    for word in session.view(number)["words"]:
        for head, _ in word["heads"][1:2]:
            would = session.preview(number, {"do": "head", "word": word["id"], "head": head})
            if head and would:
                return word["id"], head, would
    return None


def test_preview_and_one_arc_alone(open_page, sample):
    page = open_page(sample, price=0)
    number, (word, head, would) = next((n, found) for n in range(200) if (found := moving(page.session, n)))
    page.press(*["PageDown"] * number)
    before = [w["head"] for w in page.session.view(number)["words"]]
    page.page.click(f".word[data-target='{word}']")
    page.page.hover(f".word[data-target='{head}']")
    page.page.wait_for_selector(".runner.would")
    assert page.page.locator(".runner.would").count() == len(would)
    assert page.session.view(number)["words"][would[0]["word"] - 1]["form"] in page.page.inner_text(".hint")
    page.clicked(f".word[data-target='{head}']", modifiers=["Shift"])
    alone = [w["head"] for w in page.session.view(number)["words"]]
    assert alone == [head if w == word else old for w, old in enumerate(before, 1)]
    page.act("Control+z", name="undo")
    page.clicked(f".word[data-target='{word}']", f".word[data-target='{head}']")
    assert [w["head"] for w in page.session.view(number)["words"]] != alone
    page.press("o")
    page.wait(lambda: [w["head"] for w in page.session.view(number)["words"]] == alone)
    assert page.word(word)["mark"]["head"] == head


def test_from_the_root_down(open_page, sample):
    page = open_page(sample)
    page.press("PageDown", "d")
    root = next(w["id"] for w in page.session.view(1)["words"] if w["head"] == 0)
    assert page.cursor == root
    page.act("d")
    assert page.word(root)["mark"] == {"locked": True}
    assert page.word(page.cursor)["head"] == root
    page.act("d")
    assert sum(bool(w["mark"].get("locked")) for w in page.session.view(1)["words"]) == 2


def test_conflict(open_page, sample):
    page = open_page(sample)
    page.press("PageDown")
    head = page.word(1)["head"]
    page.act("Space")
    page.clicked(f".word[data-target='{head}']", ".word[data-target='1']")
    assert page.dialog.locator("li").count() == 2
    assert "passed" in page.dialog.inner_text()
    assert page.word(head)["head"] != 1
    choices = page.dialog.locator("li").all_inner_texts()
    page.act(str(1 + next(i for i, text in enumerate(choices) if "passed" in text)))
    assert page.word(head)["head"] == 1
    assert page.dialog.count() == 0


ROW = "{}\t{}\t_\t{}\t_\t_\t{}\t{}\t_\t_\n"


def test_right_to_left(open_page):
    forms = ["مجموعة", "من", "الأميركيين", "تزور", "البصرة"]
    page = open_page(
        "".join(
            ROW.format(i, form, "NOUN", 0 if i == 4 else 4, "root" if i == 4 else "dep")
            for i, form in enumerate(forms, 1)
        )
        + "\n"
    )
    first, last = (page.page.locator(f".word[data-target='{word}'] rect").bounding_box()["x"] for word in (1, 5))
    assert first > last
    page.press("ArrowLeft")
    assert page.cursor == 2
    assert page.page.get_attribute(".text", "dir") == "rtl"


def test_two_hundred_words(open_page):
    words = ("the DET det", "old ADJ amod", "dog NOUN nsubj", "saw VERB conj", "it PRON obj")
    rows = []
    for i in range(1, 201):
        form, tag, label = words[(i - 1) % 5].split()
        head = i + {1: 2, 2: 1, 3: 1, 4: -5, 0: -1}[i % 5] if i != 4 else 0
        rows.append(ROW.format(i, form, tag, head, "root" if i == 4 else label))
    page = open_page("".join(rows) + "\n")
    assert page.page.locator(".word").count() == 200
    page.press("End")
    assert page.cursor == 200
    box = page.page.locator(".word.cursor rect").bounding_box()
    assert 0 < box["x"] < 1280
    page.clicked(".word[data-target='200']", ".word[data-target='198']")
    assert page.word(200)["head"] == 198


def test_script_stays_text(open_page):
    """In forms, labels, comments, notes, names of files, dialogs; what is typed at once is typed into the dialog."""
    evil = "<img/src=x/onerror=alert(1)>"
    row = ROW.format(1, evil, "X", 0, evil).replace("\t_\t_\n", f"\t_\tA={evil}\n")
    page = open_page(f"# text = {evil}\n# {evil}\n{row}\n", name="<img src=x onerror=alert(1)>.conllu")
    assert evil in page.page.inner_text(".text")
    assert page.page.inner_text(".file") == page.path.name
    page.page.keyboard.press("n")
    page.page.keyboard.type(evil)
    page.act("Enter")
    assert page.session.view(0)["note"] == evil
    page.page.keyboard.press("l")
    page.page.keyboard.type(evil + "2")
    page.act("Enter")
    assert page.word(1)["label"] == evil + "2"
    page.page.keyboard.press("/")
    page.page.keyboard.type("onerror")
    with page.page.expect_response("**/api/annotate/search"):
        page.page.keyboard.press("Enter")
    page.page.wait_for_selector("[role=dialog] li b")
    page.press("Escape", "t")
    assert page.page.locator("img").count() == 0


def test_a_whole_session(open_page, sample, english, tmp_path):
    """Ten sentences on the page give the bytes that the same decisions give without a page."""
    page = open_page(sample)
    copy = Path(shutil.copy(sample, tmp_path / "copy.conllu"))
    other = Session(copy, english.parser)
    for number in range(10):
        words = page.session.view(number)["words"]
        word = min(words, key=lambda w: w["probability"])
        page.press("Home", *["ArrowRight"] * (word["id"] - 1))
        if len(word["heads"]) > 1:
            page.act("2")
            other.act(number, {"do": "head", "word": word["id"], "head": word["heads"][1][0]})
        page.act("Enter")
        page.wait(lambda expected=number + 1: page.number == expected)
        other.act(number, {"do": "accept"})
    page.act("Control+z", name="undo")
    page.act("Control+z", name="undo")
    page.act("Control+y", name="redo")
    other.undo()
    page.act("Control+s", name="save")
    other.close()
    assert page.path.read_bytes() == copy.read_bytes() != sample.read_bytes()


def test_training_in_the_background(open_page, sample):
    weak = Parser.train(train=list(read(sample))[190:192], preset="first")
    page = open_page(sample, parser=weak, training=BackgroundTraining(40))
    for number in range(1, 41):
        page.session.act(number, {"do": "accept"})
    unsure = page.page.text_content(".arc[data-word='1'] .number")
    page.page.wait_for_function("() => document.querySelector('.training')?.innerText.includes('trained here')")
    page.page.wait_for_function("() => document.querySelector('.spoken').innerText.includes('held-out')")
    page.page.wait_for_selector(IDLE)
    assert page.session.reparser.parser is not weak
    assert page.page.text_content(".arc[data-word='1'] .number") != unsure
    assert "held-out sentences" in page.page.get_attribute(".training", "title")


def test_screen_readers(open_page, sample):
    """One tab stop, a live region that tells every step, and a table."""
    page = open_page(sample)
    tree = page.page.locator("#tree")
    assert tree.get_attribute("role") == "application"
    assert page.page.locator("#tree svg").get_attribute("aria-hidden") == "true"
    stops = "() => [...document.querySelectorAll('#tree, #tree *')].filter(each => each.tabIndex >= 0).length"
    assert page.page.evaluate(stops) == 1
    assert page.page.get_attribute(".spoken", "aria-live") == "polite"
    page.act("2")
    assert page.said.startswith("head of word 1; ")
    page.act("Space")
    assert page.said.startswith("words passed")
    page.press("ArrowLeft")
    assert "locked" in page.said
    page.press("t")
    assert page.page.evaluate(stops) == 1
    assert page.page.locator("table.words th[scope=col]").count() == 11
    assert page.page.locator("tr[aria-current=true] th").inner_text() == "1"


def test_other_bytes_of_unusual_files_stay(open_page, samples):
    """Multiword tokens, empty nodes and enhanced dependencies are shown, and a click changes one row only."""
    page = open_page(samples / "treebanks" / "en_ewt-sample.conllu")
    content = page.session.document.content
    view = next(view for view in map(page.session.view, range(len(page.session))) if view["empty"])
    page.press(*["PageDown"] * view["number"])
    assert page.page.locator("#tree text.empty").count() == len(view["empty"])
    assert page.page.locator("#tree .multiword").count() == len(view["multiword"])
    assert page.page.inner_text(".deps").startswith("enhanced: ")
    page.page.click(".arc[data-word='1'] .label")
    page.page.keyboard.type("vocative")
    page.act("Enter")
    page.act("Control+s", name="save")
    pairs = zip(content.split(b"\n"), page.path.read_bytes().split(b"\n"), strict=True)
    changed = [(old.split(b"\t"), new.split(b"\t")) for old, new in pairs if old != new]
    assert [new[:7] + new[8:] for _, new in changed] == [old[:7] + old[8:] for old, _ in changed]
    assert [new[7] for _, new in changed] == [b"vocative"]


def test_another_annotator(open_page, sample, tmp_path):
    theirs = tmp_path / "theirs.conllu"
    theirs.write_bytes(
        sample.read_bytes().replace(b"1\tFrom\tfrom\tADP\tIN\t_\t3\tcase", b"1\tFrom\tfrom\tADP\tIN\t_\t6\tmark")
    )
    page = open_page(sample, others=[theirs])
    assert "1 of 7 words differ" in page.page.inner_text(".others")
    page.act("Shift+Digit1")
    assert (page.word(1)["head"], page.word(1)["label"]) == (6, "mark")
    with page.page.expect_response("**/api/annotate/order"):
        page.page.select_option("header select", "disagreement")
