import { assert, assertEquals, assertThrows } from "@std/assert";
import { htmlToMarkdown } from "../../../src/tool/fetch/html_to_markdown.ts";

const FIXTURES = new URL("../../../fixtures/fetch/", import.meta.url);

Deno.test("a page becomes its text in Markdown, with whole links and nothing unseen", async () => {
  const html = await Deno.readTextFile(new URL("page.html", FIXTURES));
  const { title, text } = htmlToMarkdown(html, "https://docs.example/x/y");
  assertEquals(title, "Streams & files – the manual");
  assertEquals(`${text}\n`, await Deno.readTextFile(new URL("page.md", FIXTURES)));
});

Deno.test("a page without a title, a body or sense is no fault", () => {
  for (
    const [html, text] of [["", ""], ["just words", "just words"], ["<p>a<p>b", "a\n\nb"], ["</x><<>", "<<>"]]
  ) {
    assertEquals(htmlToMarkdown(html!, "https://a.test/"), { title: undefined, text: text! });
  }
});

Deno.test("a base that is no address is as if there were none", () => {
  const { text } = htmlToMarkdown('<base href="http://["><a href="b">x</a>', "https://a.test/c/d");
  assertEquals(text, "[x](https://a.test/c/b)");
});

Deno.test("a link that is no plain one is its text", () => {
  const long = `<base href="https://a.test/${"y".repeat(3000)}/"><a href="b">x</a>`;
  for (const html of [long, '<a href="javascript:x()">x</a>', '<a href="#a">x</a>', "<a>x</a>"]) {
    assertEquals(htmlToMarkdown(html, "https://a.test/").text, "x");
  }
});

Deno.test("a cell that spans a hundred million columns is a wide cell", () => {
  const row = "<tr><td colspan=100000000>a</td><td>b</td></tr>";
  const { text } = htmlToMarkdown(`<table>${row}${row}</table>`, "https://a.test/");
  assert(text.includes("| a  ") && text.length < 1000, text.slice(0, 1000));
});

Deno.test("a page is given up in the middle, once nobody waits for it", () => {
  let looks = 0;
  assertThrows(() => htmlToMarkdown("<p>x".repeat(10_000), "https://a.test/", () => ++looks === 3), Error);
  assertEquals(looks, 3);
});

Deno.test("a page that comes to far more than it is is given up", () => {
  const html = "<blockquote>".repeat(200) + "<pre>" + "x\n".repeat(100_000) + "</pre>";
  assertThrows(() => htmlToMarkdown(html, "https://a.test/"), Error, "too much");
});
