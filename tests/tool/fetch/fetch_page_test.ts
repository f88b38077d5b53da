import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { gzipSync } from "node:zlib";
import { type FetchOptions, fetchPage, MAX_BYTES, type Page } from "../../../src/tool/fetch/fetch_page.ts";
import { kindOf } from "../../../src/tool/fetch/fetch_body.ts";
import { FetchError, readAddress } from "../../../src/tool/fetch/fetch_url.ts";

const encoder = new TextEncoder();

type Answer = string | Uint8Array | ((request: string) => Uint8Array);

/** Answers each connection, once its request is there, with bytes; then `after` decides how long it stays open. */
async function withServer<T>(
  answer: Answer,
  use: (url: string) => Promise<T>,
  after: (connection: Deno.Conn) => Promise<void> = () => Promise.resolve(),
): Promise<T> {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const served = (async () => {
    for await (const connection of listener) await serve(connection, answer, after);
  })();
  try {
    return await use(`http://page.test:${(listener.addr as Deno.NetAddr).port}/`);
  } finally {
    listener.close();
    await served;
  }
}

async function serve(
  connection: Deno.Conn,
  answer: Answer,
  after: (connection: Deno.Conn) => Promise<void>,
): Promise<void> {
  try {
    const request = new Uint8Array(8192);
    const size = await connection.read(request) ?? 0;
    const given = typeof answer === "function"
      ? answer(new TextDecoder().decode(request.subarray(0, size)))
      : answer;
    const bytes = typeof given === "string" ? encoder.encode(given) : given;
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    await after(connection);
  } catch { /* the other side may have left */ }
  connection.close();
}

/** Until the other side is gone. */
async function open(connection: Deno.Conn): Promise<void> {
  while (await connection.read(new Uint8Array(1024)) !== null) { /* wait on */ }
}

function get(url: string, more: Partial<FetchOptions> = {}): Promise<Page> {
  return fetchPage(readAddress(url), {
    privateHosts: ["page.test"],
    permit: () => Promise.resolve(),
    signal: new AbortController().signal,
    resolve: () => Promise.resolve(["127.0.0.1"]),
    ...more,
  });
}

function answer(headers: string, body: string | Uint8Array): Uint8Array {
  const head = encoder.encode(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n`);
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const all = new Uint8Array(head.length + bytes.length);
  all.set(head);
  all.set(bytes, head.length);
  return all;
}

const FAULTS: [what: string, answer: string | Uint8Array, why: RegExp][] = [
  ["garbage", "garbage\r\n\r\n", /Parse Error/],
  ["nothing", "", /closed the connection/],
  ["less than it announced", answer("content-length: 100\r\ncontent-type: text/plain", "abc"), /not|closed/],
  ["a head without end", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(1_000_000)}`, /head of its answer is too large/],
  ["gzip that is none", answer("content-encoding: gzip", "plain"), /said to be gzip and is not/],
  [
    "half of its gzip",
    answer("content-encoding: gzip", gzipSync(encoder.encode("x")).subarray(0, 12)),
    /whole/,
  ],
  ["a compression not asked for", answer("content-encoding: br", "x"), /not asked for: br/],
];

for (const [what, bytes, why] of FAULTS) {
  Deno.test(`a server that sends ${what} gets a clear error`, async () => {
    const e = await withServer(bytes, (url) => assertRejects(() => get(url), FetchError));
    assertMatch(e.message, why);
  });
}

Deno.test("a server that never answers, or never ends, is left when the time is up", async () => {
  for (
    const bytes of ["", "HTTP/1.1 200 OK\r\n", answer("content-length: 9\r\ncontent-type: text/plain", "x")]
  ) {
    const e = await withServer(
      bytes,
      (url) => assertRejects(() => get(url, { timeLimit: 100 }), FetchError),
      open,
    );
    assertMatch(e.message, /no whole answer within 0.1 seconds/);
  }
});

Deno.test("the time that a question takes is not counted", async () => {
  const page = await withServer(
    answer("content-type: text/plain", "here"),
    (url) =>
      get(url, {
        timeLimit: 2_000,
        permit: async () => await new Promise((done) => setTimeout(done, 2_100)),
      }),
  );
  assertEquals(page.text, "here");
});

Deno.test("a cancel ends it with the signal's reason, whatever it waits for", async () => {
  const cancel = new AbortController();
  const reason = new DOMException("enough", "AbortError");
  const forever = new Promise<never>(() => {});
  const looking = get("http://page.test/", { signal: cancel.signal, resolve: () => forever });
  const failed = assertRejects(() => looking, DOMException, "enough");
  setTimeout(() => cancel.abort(reason), 20);
  await failed;
  await withServer("", async (url) => {
    const cancel = new AbortController();
    const failed = assertRejects(() => get(url, { signal: cancel.signal }), DOMException, "enough");
    setTimeout(() => cancel.abort(reason), 20);
    await failed;
  }, open);
});

Deno.test("a gzip bomb is read up to the bound of a page", async () => {
  const bomb = gzipSync(new Uint8Array(100 * 1024 * 1024));
  const page = await withServer(
    answer("content-encoding: gzip\r\ncontent-type: text/plain", bomb),
    (url) => get(url),
  );
  assertEquals([page.cut, page.text?.length], [true, MAX_BYTES]);
});

Deno.test("plain gzip is read", async () => {
  const bytes = answer(
    "content-encoding: gzip\r\ncontent-type: text/plain",
    gzipSync(encoder.encode("packed")),
  );
  assertEquals((await withServer(bytes, (url) => get(url))).text, "packed");
});

Deno.test("more than was announced is not read", async () => {
  const bytes = answer("content-length: 2\r\ncontent-type: text/plain", "abcdef");
  assertEquals((await withServer(bytes, (url) => get(url))).text, "ab");
});

Deno.test("a server without TLS behind an https address gets a clear error", async () => {
  const e = await withServer(
    "HTTP/1.1 400 Bad\r\n\r\n",
    (url) => assertRejects(() => get(url.replace("http:", "https:")), FetchError),
  );
  assertStringIncludes(e.message, "could not be fetched");
});

Deno.test("a connection is made to the address that was checked, though the name changes", async () => {
  const answers = [["127.0.0.1"], ["127.0.0.2"]];
  let asked = 0;
  const page = await withServer(
    answer("content-type: text/plain", "first"),
    (url) => get(url, { resolve: () => Promise.resolve(answers[asked++] ?? []) }),
  );
  assertEquals([page.text, asked], ["first", 1]);
});

Deno.test("a name that leads to a private address is refused after the leave and before the connection", async () => {
  let connections = 0;
  const asked: string[] = [];
  const e = await withServer(
    "",
    (url) =>
      assertRejects(
        () => get(url, { privateHosts: [], permit: (url) => Promise.resolve(void asked.push(url.host)) }),
        FetchError,
      ),
    () => Promise.resolve(void connections++),
  );
  assertMatch(e.message, /page\.test:\d+ has no public address/);
  assertEquals([asked.length, connections], [1, 0]);
});

Deno.test("a redirect is told by the host that sends on, and each host is asked for once", async () => {
  const asked: string[] = [];
  const next = ["b.test", "a.test", "c.test", "a.test", "c.test"];
  let base = "";
  await withServer(
    (request) => {
      const to = next.shift();
      if (to === undefined) return answer("content-type: text/plain", "arrived");
      assert(request.includes("GET / HTTP/1.1"));
      return encoder.encode(`HTTP/1.1 302 Found\r\nlocation: ${base.replace("page.test", to)}\r\n\r\n`);
    },
    async (url) => {
      base = url;
      const page = await get(url.replace("page.test", "a.test"), {
        privateHosts: ["*.test"],
        permit: (url, from) => Promise.resolve(void asked.push(`${from?.split(":")[0]} > ${url.hostname}`)),
      });
      assertEquals(page.text, "arrived");
    },
  );
  assertEquals(asked, ["undefined > a.test", "a.test > b.test", "a.test > c.test"]);
});

Deno.test("a redirect to the same host by another scheme needs leave of its own, and to the same origin none", async () => {
  let sent = 0;
  const asked: string[] = [];
  let base = "";
  const next = () => [base, base.replace("http:", "https:")][sent++] ?? "";
  const e = await withServer(
    () => encoder.encode(`HTTP/1.1 302 Found\r\nlocation: ${next()}\r\n\r\n`),
    (url) => {
      base = url;
      const permit = ({ protocol }: URL) => {
        asked.push(protocol);
        return protocol === "https:" ? Promise.reject(new Error("a rule says no")) : Promise.resolve();
      };
      return assertRejects(() => get(url, { permit }));
    },
  );
  assertEquals([(e as Error).message, asked, sent], ["a rule says no", ["http:", "https:"], 2]);
});

Deno.test("no name is looked up without leave", async () => {
  let lookups = 0;
  const refused = new Error("no");
  await assertRejects(
    () =>
      get("http://secret.page.test/", {
        permit: () => Promise.reject(refused),
        resolve: () => Promise.resolve(lookups++ < 0 ? [] : []),
      }),
    Error,
    "no",
  );
  assertEquals(lookups, 0);
});

Deno.test("text is decoded by mark, header, or what the page says of itself", async () => {
  const latin = Uint8Array.from("caf\xe9", (c) => c.charCodeAt(0));
  const table: [headers: string, body: Uint8Array, text: string][] = [
    ["content-type: text/plain; charset=iso-8859-1", latin, "café"],
    ["content-type: text/plain; charset=no-such", encoder.encode("café"), "café"],
    ["content-type: text/plain", encoder.encode("\ufeffcafé"), "café"],
    ["content-type: text/plain", Uint8Array.of(0xff, 0xfe, 0x41, 0), "A"],
    [
      "content-type: text/html",
      Uint8Array.from("<meta charset=windows-1252><p>caf\xe9", (c) => c.charCodeAt(0)),
      "café",
    ],
    [
      "content-type: application/xml",
      Uint8Array.from('<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9</a>', (c) => c.charCodeAt(0)),
      '<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>',
    ],
  ];
  for (const [headers, body, text] of table) {
    assertEquals((await withServer(answer(headers, body), (url) => get(url))).text, text);
  }
});

Deno.test("what no content type names is told by its bytes", async () => {
  const kind = async (headers: string, body: string | Uint8Array) =>
    (await withServer(answer(headers, body), (url) => get(url))).kind;
  assertEquals(await kind("x: y", "words"), "text");
  assertEquals(await kind("x: y", "\n<!DOCTYPE html><p>x"), "html");
  assertEquals(await kind("content-type: application/octet-stream", Uint8Array.of(1, 0, 2)), "binary");
  assertEquals(await kind("content-type: application/vnd.unheard-of", "words"), "text");
});

Deno.test("kindOf() knows text, images and other binaries by their media type", () => {
  const table: Record<string, string[]> = {
    html: ["text/html", "application/xhtml+xml"],
    text: [
      "text/plain",
      "text/markdown",
      "application/json",
      "application/ld+json",
      "application/rss+xml",
      "image/svg+xml",
      "application/x-javascript",
    ],
    image: ["image/png", "image/webp"],
    binary: [
      "application/pdf",
      "application/zip",
      "video/mp4",
      "font/woff2",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ],
    undefined: ["", "application/octet-stream", "application/vnd.unheard-of"],
  };
  for (const [kind, types] of Object.entries(table)) {
    for (const type of types) assertEquals(String(kindOf(type)), kind, type);
  }
});

Deno.test("a cancel ends the reading of a page that takes very long", async () => {
  const cancel = new AbortController();
  const slow = answer("content-type: text/html", "<b>".repeat(100_000));
  await withServer(slow, async (url) => {
    const failed = assertRejects(() => get(url, { signal: cancel.signal }), DOMException, "enough");
    setTimeout(() => cancel.abort(new DOMException("enough", "AbortError")), 300);
    await failed;
  });
});

Deno.test("a page that is nested too deep comes as its source", async () => {
  const deep = "<div>".repeat(8_000) + "the middle";
  const page = await withServer(answer("content-type: text/html", deep), (url) => get(url));
  assertStringIncludes(page.text!, "could not be turned into Markdown; its source follows");
  assert(page.text!.endsWith("the middle"));
});
