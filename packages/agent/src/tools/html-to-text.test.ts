import { expect, it } from "vitest";
import { pageText } from "./html-to-text.ts";
import type { PageJob } from "./html-worker.ts";

const base = "https://site.example/a/b";
const signal = new AbortController().signal;
const text = (html: string, format: PageJob["format"] = "markdown") =>
  pageText({ html, format, base }, signal);

it("keeps readable text, and removes scripts", async () => {
  const html = `<title>T</title><script>x</script><svg><text>y</text></svg><h2>H</h2>
    <ul><li>one<li>two</ul><pre><code class="language-js">let a;</code></pre>`;
  expect(await text(html)).toBe("T\n\n## H\n\n-   one\n-   two\n\n```js\nlet a;\n```");
});

it("makes links absolute, and omits those without a target", async () => {
  expect(await text(`<a href="c?d#e">in</a> <a href="//x.example/">out</a>`)).toBe(
    "[in](https://site.example/a/c?d#e) [out](https://x.example/)",
  );
  expect(await text(`<a href="#top">up</a> <a href="javascript:x()">run</a> <a>none</a>`)).toBe(
    "up run none",
  );
});

it("writes plain text without markup", async () => {
  const html = `<h1>A <em>b</em></h1><p>1 * 2 <a href="x">c</a> <img alt="d" src="e"></p>`;
  expect(await text(html, "text")).toBe("A b\n\n1 * 2 c d");
});

it("stops at a page that takes too long, and when it is aborted", async () => {
  const job: PageJob = { html: "<div>".repeat(200_000), format: "markdown", base };
  await expect(pageText(job, signal, 300)).rejects.toThrow(/too intricate .* format html/);
  const controller = new AbortController();
  const running = pageText(job, controller.signal);
  controller.abort(new Error("stopped"));
  await expect(running).rejects.toThrow("stopped");
  await expect(pageText(job, controller.signal)).rejects.toThrow("stopped");
});
