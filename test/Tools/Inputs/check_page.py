# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens pages of ir-explain in a browser without a window, and checks what a reader sees.

    check_page.py [--screenshots DIR] PAGE...

A page must load nothing, log nothing, and have a picture. In the pictures each text is in its box and on no other text,
and can be told from what is behind it. Of two boxes one is in the other, or they do not overlap. Each arrow of the flow
begins at an edge of a box, ends at that of another one, and passes through none. The page must not be wider than the
window. This is checked in light colours on a wide screen, and in dark ones on a narrow one. The browser is chromium,
which is controlled through a pipe, so a page needs no scripts.
"""
import argparse
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# The widths of windows in which a page is opened: of a phone, and of a screen.
WIDTHS = 400, 1700

# Returns the pictures of the page with their texts, boxes, and points of arrows, and how wide the page is.
LOOK = """(() => {
  const box = e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
  const color = e => getComputedStyle(e);
  // The last rectangle in front of the text, in the order of drawing, that has its middle, is behind it.
  const behind = text => {
    const [l, t, r, b] = box(text), x = (l + r) / 2, y = (t + b) / 2;
    let found = null;
    for (const e of text.ownerSVGElement.querySelectorAll('rect')) {
      if (!(text.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_PRECEDING)) continue;
      const [el, et, er, eb] = box(e);
      if (el <= x && x <= er && et <= y && y <= eb) found = e;
    }
    return found && {box: box(found), color: color(found).fill};
  };
  return JSON.stringify({
    pictures: [...document.querySelectorAll('svg')].map(svg => ({
      box: box(svg), label: svg.getAttribute('aria-label'),
      loops: svg.querySelectorAll('rect.loop').length,
      boxes: [...svg.querySelectorAll('rect.model, rect.loop, rect.body, rect.layers, rect.value')].map(
        e => ({kind: e.classList[0], name: e.parentNode.querySelector('text')?.textContent, box: box(e)})),
      arrows: [...svg.querySelectorAll('path.flow')].map(path => {
        const place = path.getScreenCTM(), length = path.getTotalLength(), count = Math.max(8, length / 8);
        return [...Array(Math.ceil(count) + 1).keys()].map(i => {
          const point = path.getPointAtLength(length * i / Math.ceil(count)).matrixTransform(place);
          return [point.x, point.y];
        });
      }),
      texts: [...svg.querySelectorAll('text')].map(text => ({
        text: text.textContent, box: box(text), color: color(text).fill, behind: behind(text)})),
    })),
    text: document.body.innerText,
    scripts: document.scripts.length,
    handlers: [...document.querySelectorAll('*')].filter(
        e => [...e.attributes].some(a => a.name.startsWith('on') || a.name.includes('href'))).length,
    width: document.documentElement.scrollWidth, window: innerWidth,
  });
})()"""


class Browser:
    """A chromium that gets commands through one pipe and answers through another."""

    def __init__(self, folder):
        (self.read_end, out), (command, self.write_end) = os.pipe(), os.pipe()
        # The browser reads from file 3 and writes to file 4.
        start = f"exec chromium 3<&{command} 4>&{out} --headless --no-sandbox --disable-gpu --no-first-run " \
                f"--disable-dev-shm-usage --remote-debugging-pipe --user-data-dir='{folder}'"
        self.process = subprocess.Popen(["bash", "-c", start], pass_fds=(command, out), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env=dict(os.environ, HOME=str(folder)))
        os.close(command)
        os.close(out)
        self.rest, self.last, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.read_end, 1 << 16)
            if not more:
                sys.exit("error: chromium has ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.last:
                if "error" in answer:
                    sys.exit(f"error: {method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def look(self):
        return json.loads(self.call("Runtime.evaluate", expression=LOOK)["result"]["value"])

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait()


def get_luminance(color):
    channels = [int(c) / 255 for c in color[color.index("(") + 1:-1].split(",")[:3]]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def get_contrast(a, b):
    darker, lighter = sorted((get_luminance(a), get_luminance(b)))
    return (lighter + 0.05) / (darker + 0.05)


def is_inside(inner, outer):
    return inner[0] >= outer[0] - 1 and inner[1] >= outer[1] - 3 and inner[2] <= outer[2] + 1 \
        and inner[3] <= outer[3] + 3


def is_at_edge(point, box):
    x, y = point
    return box[0] - 1 <= x <= box[2] + 1 and min(abs(y - box[1]), abs(y - box[3])) <= 1.5


def contains(box, point):
    return box[0] + 1 < point[0] < box[2] - 1 and box[1] + 1 < point[1] < box[3] - 1


def find_flow_faults(picture):
    """What is wrong with the boxes of a picture and the arrows between them."""
    faults = []
    boxes = picture["boxes"]
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            (al, at, ar, ab), (bl, bt, br, bb) = a["box"], b["box"]
            overlap = min(ar, br) - max(al, bl) > 0.5 and min(ab, bb) - max(at, bt) > 0.5
            if overlap and not is_inside(a["box"], b["box"]):
                faults.append(f"the box '{a['name']}' overlaps '{b['name']}'")
    if any(box["kind"] in ("loop", "layers") for box in boxes) and not picture["arrows"]:
        faults.append("expected arrows")
    for points in picture["arrows"]:
        ends = [[box for box in boxes if box["kind"] != "model" and is_at_edge(points[i], box["box"])]
                for i in (0, -1)]
        names = [[box["name"] for box in end] for end in ends]
        if not ends[0] or not ends[1]:
            faults.append(f"an arrow ends in the air: {names}")
        elif all(a is b and a["kind"] != "body" for a in ends[0] for b in ends[1]):
            faults.append(f"an arrow ends where it begins: {names}")
        for box in boxes:
            # The arrow is in a box that has both its ends, and in no other one.
            own = box["box"]
            holds = all(own[0] - 1 <= points[i][0] <= own[2] + 1 and own[1] - 1 <= points[i][1] <= own[3] + 1
                        for i in (0, -1))
            if not holds and any(contains(own, point) for point in points[1:-1]):
                faults.append(f"the arrow between {names} passes through '{box['name']}'")
    return faults


def find_faults(seen):
    """What a reader would object to in what LOOK has returned."""
    faults = []
    if not seen["pictures"]:
        faults.append("expected a picture")
    if seen["scripts"] or seen["handlers"]:
        faults.append("expected no scripts, handlers and links")
    if seen["width"] > seen["window"]:
        faults.append(f"expected a page as wide as the window, but got {seen['width']} columns")
    for picture in seen["pictures"]:
        left, top, right, bottom = picture["box"]
        if right - left < 100 or bottom - top < 100 or not picture["texts"]:
            faults.append("expected a picture with texts")
        faults += find_flow_faults(picture)
        placed = []
        for text in picture["texts"]:
            words, box = text["text"], text["box"]
            if box[2] <= box[0] or box[3] <= box[1]:
                faults.append(f"'{words}' is not shown")
            elif not text["behind"] or not is_inside(box, text["behind"]["box"]):
                faults.append(f"'{words}' is not inside of its box")
            elif get_contrast(text["color"], text["behind"]["color"]) < 4.5:
                faults.append(f"'{words}' can hardly be read")
            for other, place in placed:
                # Lines of text touch each other.
                if min(box[2], place[2]) - max(box[0], place[0]) > 1 and \
                        min(box[3], place[3]) - max(box[1], place[1]) > 3:
                    faults.append(f"'{words}' is on '{other}'")
            placed.append((words, box))
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path, help="write a picture of each page, in both schemes")
    arguments = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(folder)
        for page in arguments.pages:
            url = page.resolve().as_uri()
            browser.events.clear()
            browser.call("Page.navigate", url=url)
            browser.wait_for("Page.loadEventFired")
            faults = []
            for scheme, width in (("light", WIDTHS[1]), ("dark", WIDTHS[0])):
                browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                browser.call("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1,
                             mobile=False)
                seen = browser.look()
                faults += [f"{scheme}: {fault}" for fault in find_faults(seen)]
                if arguments.screenshots:
                    image = browser.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
                    (arguments.screenshots / f"{page.stem}-{scheme}.png").write_bytes(base64.b64decode(image))
            for event in browser.events:
                method, what = event.get("method"), event.get("params", {})
                if method == "Network.requestWillBeSent" and what["request"]["url"] != url:
                    faults.append(f"loads {what['request']['url']}")
                elif method in ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
                    faults.append(f"logs {json.dumps(what)}")
            for fault in faults:
                print(f"{page.name}: {fault}")
            if not faults:
                pictures = seen["pictures"]
                print(f"{page.name}: {len(pictures)} pictures with {pictures[-1]['loops']} loops and "
                      f"{len(pictures[-1]['arrows'])} arrows")
            failed |= bool(faults)
        browser.close()
    return failed


if __name__ == "__main__":
    sys.exit(main())
