#!/usr/bin/env python3
"""check_page.py GKTUNE: parses a report of hostile names and checks what has to hold without a browser."""

import json
import os
import sys
import tempfile
from html.parser import HTMLParser

import hostile_page


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags = []  # of (name, attributes)
        self.open = []
        self.texts = {}  # all text below elements of a name
        self.scripts = []
        self.errors = []

    VOID = {"meta", "link", "br", "wbr", "img", "input", "hr"}

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "script":
            self.scripts.append("")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.errors.append(f"</{tag}> closes {self.open[-1:]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        for tag in set(self.open):
            self.texts[tag] = self.texts.get(tag, "") + data
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data

    def of(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def check(condition, what):
    if not condition:
        sys.exit(f"check_page: {what}")


def main(gktune):
    with tempfile.TemporaryDirectory() as folder:
        path = hostile_page.make(gktune, folder)
        size = os.path.getsize(path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
    check(size < 2_000_000, f"the page has {size} bytes")
    page = Page()
    page.feed(text)
    page.close()
    check(not page.errors and not page.open, f"elements are not nested well: {page.errors[:3]} {page.open}")

    names = {name for name, _ in page.tags}
    check(not names & {"img", "svg", "link", "iframe", "object", "embed", "base", "form", "b onload"}, f"unexpected elements: {names}")
    for name, attributes in page.tags:
        for attribute, value in attributes.items():
            check(not attribute.startswith("on"), f"<{name}> has a handler {attribute}")
            if attribute in ("src", "href", "action", "data", "poster"):
                check(value.startswith("#"), f"<{name}> refers to {value}")
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    check(len(ids) == len(set(ids)), "ids repeat")
    policy = [each["content"] for each in page.of("meta") if each.get("http-equiv") == "Content-Security-Policy"]
    check(policy and policy[0].startswith("default-src 'none'"), "there is no content security policy")
    check("unsafe-eval" not in policy[0] and "http" not in policy[0], f"the policy is too wide: {policy}")

    check(len(page.scripts) == 3, f"there are {len(page.scripts)} scripts")
    check("echarts" in page.scripts[1], "the second script is the chart library")
    nonces = {each.get("nonce") for each in page.of("script")[1:]}
    check(len(nonces) == 1 and f"'nonce-{nonces.pop()}'" in policy[0], "a script has no nonce")
    check("<" not in page.scripts[0] and "&" not in page.scripts[0], "the data could end its script")
    data = json.loads(page.scripts[0])
    check(len(data["studies"]) == 5, "a study is missing")
    study = next(each for each in data["studies"] if each["device"] == "GPU <b>bold</b> & Co.")
    check(sum(each["time_us"] is None for each in data["studies"]) == 1, "a kernel that always fails has a time")
    check(study["kernel"] == hostile_page.KERNEL, f"the kernel is called {study['kernel']}")
    parameters = {each["name"]: each["values"] for each in study["details"]["parameters"]}
    check(set(parameters) == set(hostile_page.PARAMETERS), f"parameters are {list(parameters)}")
    points = study["details"]["points"]
    check(len(points["id"]) == 60 and all(len(column) == 60 for column in points["places"]), "points are missing")
    check(None in points["score"], "failures have no score")

    check(hostile_page.KERNEL in page.texts["h1"], "the heading names the kernel")
    check(hostile_page.KERNEL in page.texts["title"], "the title names the kernel")
    for name in hostile_page.PARAMETERS:
        check(name in page.texts["th"], f"no table names {name}")
    check("\u202e" not in text, "a name turns the direction of the text")
    figures = [each["data-chart"] for each in page.of("figure")]
    check(figures == ["across", *["progress", "distribution", "heat", "importance", "parallel"] * 4], f"figures are {figures}")
    check(len(page.of("details")) >= len(figures) + 2, "a figure has no table")
    check(len(page.of("caption")) + len(page.of("figcaption")) >= len(figures), "a figure has no caption")
    check("compile_failed" in page.texts["td"] and "No trial succeeded." in page.texts["p"], "failures are not told")
    check(page.of("html")[0].get("lang") == "en", "the language is not named")
    print(f"the page is sound: {size} bytes, {len(page.tags)} elements")


if __name__ == "__main__":
    main(sys.argv[1])
