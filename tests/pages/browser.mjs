// Does steps in a real browser, headless, and prints what they gave as JSON.
//
// Talks to Chromium through the pipes it offers for that, so that nothing needs to be installed
// beside it. Steps come on standard input: `open`, `evaluate`, `move`, `drag`, `touch`, `hover`, `key`,
// `reload`, `shot`.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [chromium] = process.argv.slice(2);
const steps = JSON.parse(readFileSync(0, "utf8"));
const profile = mkdtempSync(join(tmpdir(), "ioglass-page-"));
const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank"];
const browser = spawn(chromium, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const ended = new Promise((resolve) => browser.on("exit", resolve));

let number = 0;
const waiting = new Map();
const heard = [];
let text = "";
browser.stdio[4].setEncoding("utf8").on("data", (chunk) => {
  text += chunk;
  const messages = text.split("\0");
  text = messages.pop();
  for (const message of messages.map((one) => JSON.parse(one))) {
    const answer = waiting.get(message.id);
    if (!answer) {
      heard.push(message);
      continue;
    }
    waiting.delete(message.id);
    if (message.error) answer.reject(new Error(JSON.stringify(message.error))); else answer.resolve(message.result);
  }
});

function ask(method, params = {}, sessionId = undefined) {
  const id = ++number;
  const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  browser.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
  return answer;
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function main() {
  const { targetInfos } = await ask("Target.getTargets");
  const { targetId } = targetInfos.find((target) => target.type === "page");
  const { sessionId } = await ask("Target.attachToTarget", { targetId, flatten: true });
  const page = (method, params) => ask(method, params, sessionId);
  await page("Page.enable");
  await page("Runtime.enable");
  await page("Log.enable");
  await page("Network.enable");
  await page("DOM.enable");
  await page("CSS.enable");

  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await page("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value ?? null;
  };
  const mouse = (type, x, y, more = {}) => page("Input.dispatchMouseEvent", { type, x, y, ...more });
  const drawn = () => evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");

  /** A place on the screen: shares of an element's width and height. */
  const place = ({ on, at: [right, down] }) => evaluate(`(() => {
    const { left, top, width, height } = document.querySelector(${JSON.stringify(on)}).getBoundingClientRect();
    return [left + ${right} * width, top + ${down} * height];
  })()`);

  const ready = async (what) => {
    for (let i = 0; i < 2400; i++) {
      // While another page comes, there is nobody to ask.
      if (await evaluate("document.body?.dataset.ready === '1'").catch(() => false)) return drawn();
      await pause(50);
    }
    throw new Error(`${what} is not ready: ${JSON.stringify(problems())}`);
  };

  const acts = {
    async open({ url, width = 1440, height = 900, scale = 1, dark = false }) {
      heard.length = 0;
      await page("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile: false });
      await page("Emulation.setEmulatedMedia", { media: "", features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
      // An address that differs by its hash alone would not load the page anew.
      await page("Page.navigate", { url: "about:blank" });
      await page("Page.navigate", { url });
      await ready(url);
    },
    async reload() {
      // What is being loaded anew is not ready yet.
      await evaluate("delete document.body.dataset.ready");
      await page("Page.reload");
      await ready("the page");
    },
    evaluate: ({ expression }) => evaluate(expression),
    /** What went wrong on the page, and what it asked of the network. */
    problems: async () => problems(),
    async move({ on, at }) {
      await mouse("mouseMoved", ...(await place({ on, at })));
      await drawn();
    },
    async drag({ on, at, until }) {
      const [from, to] = [await place({ on, at }), await place({ on, at: until })];
      await mouse("mouseMoved", ...from);
      await mouse("mousePressed", ...from, { button: "left", buttons: 1, clickCount: 1 });
      await mouse("mouseMoved", (from[0] + to[0]) / 2, (from[1] + to[1]) / 2, { button: "left", buttons: 1 });
      await mouse("mouseMoved", ...to, { button: "left", buttons: 1 });
      await mouse("mouseReleased", ...to, { button: "left", clickCount: 1 });
      await drawn();
    },
    /** Fingers, each with the places it goes through; all move together. */
    async touch({ on, fingers }) {
      await page("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 2 });
      const paths = await Promise.all(fingers.map((path) => Promise.all(path.map((at) => place({ on, at })))));
      const points = (step) => paths.map((path, id) => ({ id, x: path[step][0], y: path[step][1] }));
      const send = (type, touchPoints) => page("Input.dispatchTouchEvent", { type, touchPoints });
      // One after the other, as fingers come.
      for (let i = 1; i <= paths.length; i++) await send("touchStart", points(0).slice(0, i));
      for (let step = 1; step < paths[0].length; step++) await send("touchMove", points(step));
      await send("touchEnd", []);
      await page("Emulation.setTouchEmulationEnabled", { enabled: false });
      await drawn();
    },
    /** As if the pointer were over each of these. */
    async hover({ on }) {
      const { root } = await page("DOM.getDocument");
      const { nodeIds } = await page("DOM.querySelectorAll", { nodeId: root.nodeId, selector: on });
      for (const nodeId of nodeIds) await page("CSS.forcePseudoState", { nodeId, forcedPseudoClasses: ["hover"] });
      return nodeIds.length;
    },
    async key({ key }) {
      await page("Input.dispatchKeyEvent", { type: "keyDown", key, text: key.length === 1 ? key : undefined });
      await page("Input.dispatchKeyEvent", { type: "keyUp", key });
      await drawn();
    },
    async media({ media }) {
      await page("Emulation.setEmulatedMedia", { media });
      await drawn();
    },
    async shot({ path, whole = false }) {
      const { data } = await page("Page.captureScreenshot", { captureBeyondViewport: whole, ...(whole ? { clip: await wholePage(evaluate) } : {}) });
      writeFileSync(path, Buffer.from(data, "base64"));
    },
  };
  const results = [];
  for (const { act, ...step } of steps) results.push((await acts[act](step)) ?? null);
  return results;
}

async function wholePage(evaluate) {
  const [width, height] = await evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]");
  return { x: 0, y: 0, width, height, scale: 1 };
}

function problems() {
  const found = [];
  for (const { method, params } of heard) {
    if (method === "Runtime.exceptionThrown") found.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled" && ["error", "warning"].includes(params.type)) found.push(JSON.stringify(params.args));
    if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level)) found.push(params.entry.text);
    if (method === "Network.requestWillBeSent" && /^(?!file:|about:|data:|blob:)/.test(params.request.url)) found.push(`asked for ${params.request.url}`);
    if (method === "Page.javascriptDialogOpening") found.push("a dialog");
  }
  return found;
}

try {
  process.stdout.write(JSON.stringify(await main()));
} catch (error) {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
} finally {
  browser.kill();
  await ended;
  await removeProfile();
}

// Removes the profile of the browser. Processes of the browser may still write to it after the
// browser has ended, and the retries of `rmSync` do not see new files.
async function removeProfile() {
  for (let tries = 1; ; tries++) {
    try {
      return rmSync(profile, { recursive: true, force: true });
    } catch (error) {
      if (tries === 50) throw error;
      await new Promise((done) => setTimeout(done, 100));
    }
  }
}
