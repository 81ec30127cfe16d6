#!/usr/bin/env python3
"""browse_page.py GKTUNE [CHROMIUM]: opens a report in headless Chromium and uses it. Exits with 77 without a browser.

Chromium is driven through the DevTools protocol over two pipes, so that nothing else needs to be installed."""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

import awkward_page
import hostile_page

DEADLINE_S = 120  # for everything: a busy machine is slow


def check(condition, what):
    if not condition:
        raise AssertionError(what)


class Browser:
    def __init__(self, program, folder):
        self.to_browser, ours_in = None, None
        their_in, ours_out = os.pipe()
        ours_in, their_out = os.pipe()

        def take_pipes():
            # The protocol's ends are 3 and 4. They may be each other's numbers now.
            read_end, write_end = os.dup(their_in), os.dup(their_out)
            os.dup2(read_end, 3)
            os.dup2(write_end, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--remote-debugging-pipe",
             "--user-data-dir=" + os.path.join(folder, "profile"), "--window-size=1280,1600"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=take_pipes)
        os.close(their_in)
        os.close(their_out)
        self.reader, self.writer = ours_in, ours_out
        self.until = time.monotonic() + DEADLINE_S
        self.buffer = b""
        self.events = []
        self.number = 0
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def message(self):
        while b"\0" not in self.buffer:
            left = self.until - time.monotonic()
            check(left > 0 and select.select([self.reader], [], [], left)[0], "the browser does not answer")
            part = os.read(self.reader, 1 << 20)
            check(part, "the browser ended")
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.writer, data):]
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                check("error" not in answer, f"{method}: {answer.get('error')}")
                return answer["result"]
            self.events.append(answer)

    def value_of(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        check("exceptionDetails" not in result, f"{expression}: {result.get('exceptionDetails')}")
        return result["result"].get("value")

    def wait_for(self, expression):
        while not self.holds(expression):
            check(time.monotonic() < self.until, f"still not: {expression}")
            time.sleep(0.05)

    def holds(self, expression):
        try:
            return self.value_of(f"Boolean({expression})")
        except AssertionError:  # the page is being loaded
            return False

    def open(self, path):
        self.call("Page.navigate", url="file://" + path)
        self.wait_for("document.documentElement?.dataset.ready")

    def complaints(self):
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"].get("exception", {}).get("description", "exception"))
            if method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append(" ".join(str(each.get("value")) for each in parameters["args"]))
            if method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(parameters["entry"]["text"])
        return found

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def close(self):
        self.process.kill()
        self.process.wait()


def choose(browser, figure, label, text):
    """Chooses an option of the select that follows a label."""
    browser.value_of(f"""(() => {{
      const label = [...document.querySelectorAll({json.dumps(figure + ' label')})].find((each) => each.firstChild.textContent.trim() === {json.dumps(label)});
      const select = label.querySelector("select");
      select.value = [...select.options].find((option) => option.textContent === {json.dumps(text)}).value;
      select.dispatchEvent(new Event("change"));
    }})()""")


STUDY = "section.study:not([hidden])"


def picture(browser, chart, study=STUDY):
    return browser.value_of(f"document.querySelector('{study} figure[data-chart={chart}] svg').outerHTML")


def use(browser, path, screenshot):
    browser.open(path)
    before = picture(browser, "across", "")
    choose(browser, "figure[data-chart=across]", "kernel", "<fails>")
    check(picture(browser, "across", "") != before, "another kernel gives the same overview")
    titles = browser.value_of("[...document.querySelectorAll('#page-controls select')][0].textContent")
    check("<fails> problem_size=n=3 on GPU 3" in titles, f"studies are {titles}")
    choose(browser, "#page-controls", "study", "<fails> problem_size=n=3 on GPU 3")
    check("No trial succeeded." in browser.value_of(f"document.querySelector('{STUDY}').textContent"), "the failing study is not shown")
    choose(browser, "#page-controls", "study", hostile_page.KERNEL + " problem_size=n=\"<svg onload=window.hacked=4>\" on GPU <b>bold</b> & Co.")
    for chart in ("progress", "distribution", "heat", "importance", "parallel"):
        check(len(picture(browser, chart)) > 1000, f"the chart {chart} is empty")
        label = browser.value_of(f"document.querySelector('section.study:not([hidden]) figure[data-chart={chart}] [role=img]').getAttribute('aria-label')")
        check(label and len(label) > 20, f"the chart {chart} has no description: {label}")
    names = list(hostile_page.PARAMETERS)

    before, table = picture(browser, "heat"), browser.value_of("document.querySelector('section.study:not([hidden]) figure[data-chart=heat] table').textContent")
    chosen = browser.value_of("[...document.querySelectorAll('section.study:not([hidden]) figure[data-chart=heat] select')].map((each) => each.selectedOptions[0].textContent)")
    other = next(name for name in names[:3] if name not in chosen)
    choose(browser, STUDY + " figure[data-chart=heat]", "across", other)
    check(picture(browser, "heat") != before, "another axis gives the same heat map")
    check(browser.value_of("document.querySelector('section.study:not([hidden]) figure[data-chart=heat] table').textContent") != table, "another axis gives the same table")

    before = picture(browser, "progress")
    choose(browser, STUDY + " figure[data-chart=progress]", "over", "time")
    check(picture(browser, "progress") != before, "the time axis gives the same progress")

    before = picture(browser, "distribution")
    choose(browser, STUDY + " .filter-controls", "__proto__", "64")
    check(picture(browser, "distribution") != before, "a filter gives the same distribution")
    check(browser.value_of("document.querySelector('section.study:not([hidden]) .filter-count').textContent").endswith("of 60 trials match."), "the filter says nothing")

    # Hovering names the configuration, as text.
    browser.value_of("document.querySelector('section.study:not([hidden]) figure[data-chart=heat]').scrollIntoView()")
    box = browser.value_of("(() => { const box = document.querySelector('section.study:not([hidden]) figure[data-chart=heat] .chart').getBoundingClientRect(); return [box.x, box.y, box.width, box.height]; })()")
    hint = "document.querySelector('section.study:not([hidden]) figure[data-chart=heat] .chart > div:last-child').textContent"
    for step in range(2, 9):
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + box[2] * step / 10, y=box[1] + box[3] * 0.3)
        time.sleep(0.05)
        if "trial" in browser.value_of(hint):
            break
    browser.wait_for(hint + ".includes('trial')")
    check(names[0] in browser.value_of(hint), f"the hint names no parameter: {browser.value_of(hint)}")

    background = browser.value_of("getComputedStyle(document.body).backgroundColor")
    light = picture(browser, "heat")
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    browser.wait_for("document.documentElement.dataset.theme === 'dark'")
    check(browser.value_of("getComputedStyle(document.body).backgroundColor") != background, "dark is as light")
    check(picture(browser, "heat") != light, "the charts have no dark colours")
    if screenshot:
        shot = browser.call("Page.captureScreenshot", format="png")
        with open(screenshot, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    printed = base64.b64decode(browser.call("Page.printToPDF")["data"])
    check(printed.startswith(b"%PDF") and len(printed) > 20_000, f"the print has {len(printed)} bytes")

    check(browser.value_of("window.hacked") is None, "a name was executed")
    check(browser.value_of("document.querySelectorAll('img, iframe, main svg script').length") == 0, "a name became an element")
    check(not browser.complaints(), f"the browser complains: {browser.complaints()}")
    others = [url for url in browser.requests() if not url.startswith(("file://" + path, "data:", "blob:"))]
    check(not others, f"the page asks for {others}")


# Texts that cross the edge of their picture or each other, words that are broken, and what is wider than its surroundings.
# Slanted texts are compared as they lie.
MISPLACED = """(() => {
  const found = [];
  const corners = (text) => {
    const box = text.getBBox(), matrix = text.getScreenCTM();
    return [[0, 0], [1, 0], [1, 1], [0, 1]].map(([x, y]) => new DOMPoint(box.x + x * box.width, box.y + y * box.height).matrixTransform(matrix));
  };
  const isApart = (a, b) => [a, b].some((each) => each.slice(0, 2).some((from, i) => {
    const to = each[i + 1], length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const along = (points) => points.map((point) => (point.x * (to.x - from.x) + point.y * (to.y - from.y)) / length);
    const [p, q] = [along(a), along(b)];
    return Math.max(...p) < Math.min(...q) + 1 || Math.max(...q) < Math.min(...p) + 1;
  }));
  for (const figure of document.querySelectorAll("figure")) {
    const svg = figure.querySelector("svg"), edge = svg?.getBoundingClientRect();
    if (!svg || edge.width === 0) continue;
    const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim()).map((text) => [text.textContent, corners(text)]);
    texts.forEach(([text, points], i) => {
      if (points.some(({ x, y }) => x < edge.left - 1 || x > edge.right + 1 || y < edge.top - 1 || y > edge.bottom + 1))
        found.push(figure.dataset.chart + ": '" + text + "' is cut");
      for (const [other, others] of texts.slice(0, i))
        if (!isApart(points, others)) found.push(figure.dataset.chart + ": '" + text + "' covers '" + other + "'");
    });
  }
  for (const cell of document.querySelectorAll("td, th")) {
    const node = cell.firstChild;
    if (!node || node.nodeType !== Node.TEXT_NODE) continue;
    for (const word of node.data.matchAll(/(?<![^\\s-])[^\\s-]{1,16}(?![^\\s-])/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (range.getClientRects().length > 1) found.push("the word " + word[0] + " is broken");
    }
  }
  for (const each of document.querySelectorAll("h1, h2, h3, .values span, .card, figure"))
    if (each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0) found.push("too wide: " + each.textContent.slice(0, 40));
  return found;
})()"""


def look(browser, pages):
    """Expects that everything can be read on a screen and on a phone."""
    for width in (1280, 390):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        for kernel, path in pages.items():
            browser.until = time.monotonic() + DEADLINE_S
            browser.open(path)
            check(browser.value_of("document.documentElement.scrollWidth") <= width, f"{kernel}: the page is wider than {width} px")
            misplaced = browser.value_of(MISPLACED)
            check(not misplaced, f"{kernel}, {width} px: {misplaced}")
            for study in browser.value_of("JSON.parse(document.getElementById('data').textContent)")["studies"]:
                steps = [step[2] for step in (study["details"] or {}).get("improvements", [])]
                check(steps == sorted(steps, reverse=True), f"{kernel}: the best so far rises: {steps}")
    browser.call("Emulation.clearDeviceMetricsOverride")

    def texts(chart):
        return browser.value_of(f"[...document.querySelectorAll('figure[data-chart={chart}] svg text')].map((each) => each.textContent)")

    browser.open(pages["outlier"])
    times = browser.value_of("[...document.querySelectorAll('figure[data-chart=heat] td:not(:first-child)')].map((each) => each.textContent)")
    ends = browser.value_of("[...document.querySelectorAll('figure[data-chart=heat] .scale span')].map((each) => each.textContent)")
    check((ends[0], ends[-1]) == ("70.0 µs", "4.00 ms"), f"the scale of colours goes from {ends[0]} to {ends[-1]}")
    colours = browser.value_of(f"""(() => {{
      const paths = [...document.querySelectorAll('figure[data-chart=heat] svg path')], line = getComputedStyle(document.documentElement).getPropertyValue('--card').trim();
      return [...new Set(paths.filter((each) => each.getAttribute('stroke') === line).map((each) => each.getAttribute('fill')))];
    }})()""")
    check(len(colours) == len(set(times)), f"{len(set(times))} times have {len(colours)} colours")
    check({"50 µs", "5 ms"} <= set(texts("progress")), f"the axis of times has the numbers {texts('progress')}")
    browser.open(next(path for kernel, path in pages.items() if kernel.startswith("fused")))
    check("0 µs" in texts("across"), f"bars do not begin at 0: {texts('across')}")
    browser.open(pages["many_problems"])
    check("1 µs" in texts("across"), f"the axis of times begins at no number: {texts('across')}")


def main(gktune, program=None, screenshot=None):
    program = program or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not program:
        print("skipped: no chromium; install Debian's package chromium to test the report in a browser")
        sys.exit(77)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = hostile_page.make(gktune, folder)
        browser = Browser(program, folder)
        try:
            use(browser, path, screenshot)
            look(browser, awkward_page.make(gktune, folder))
        except AssertionError as error:
            sys.exit(f"browse_page: {error}")
        finally:
            browser.close()
    print("the page works in " + program)


if __name__ == "__main__":
    main(*sys.argv[1:])
