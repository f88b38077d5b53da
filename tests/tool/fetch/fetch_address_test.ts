import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { checkedLookup, isPublic, refusePrivate } from "../../../src/tool/fetch/fetch_address.ts";
import { FetchError, readAddress } from "../../../src/tool/fetch/fetch_url.ts";

/** First and last address of ranges that are not the public internet's. */
const NOT_PUBLIC: [first: string, last: string][] = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["168.63.129.16", "168.63.129.16"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["224.0.0.0", "255.255.255.255"],
];

function numberOf(address: string): number {
  return address.split(".").reduce((n, part) => n * 256 + Number(part), 0);
}

function partsOf(n: number): number[] {
  return [24, 16, 8, 0].map((shift) => Math.floor(n / 2 ** shift) % 256);
}

/** Spellings of an IPv4 address that a URL may have. */
const SPELLINGS: Record<string, (n: number) => string> = {
  "dotted": (n) => partsOf(n).join("."),
  "dotted with a dot behind": (n) => `${partsOf(n).join(".")}.`,
  "one number": (n) => String(n),
  "one hexadecimal number": (n) => `0x${n.toString(16)}`,
  "one octal number": (n) => `0${n.toString(8)}`,
  "hexadecimal parts": (n) => partsOf(n).map((p) => `0x${p.toString(16)}`).join("."),
  "octal parts": (n) => partsOf(n).map((p) => `0${p.toString(8)}`).join("."),
  "two parts": (n) => `${partsOf(n)[0]}.${n % 2 ** 24}`,
  "three parts": (n) => `${partsOf(n)[0]}.${partsOf(n)[1]}.${n % 2 ** 16}`,
  "percent-encoded": (n) => partsOf(n).join(".").replace(/\d/, (d) => `%3${d}`),
  "full-width digits": (n) =>
    partsOf(n).join(".").replace(/\d/g, (d) => String.fromCodePoint(0xff10 + Number(d))),
  "IPv4 in IPv6": (n) => `[::ffff:${partsOf(n).join(".")}]`,
  "IPv4 in IPv6, in full": (n) =>
    `[0:0:0:0:0:ffff:${Math.floor(n / 65536).toString(16)}:${(n % 65536).toString(16)}]`,
  "IPv4 below IPv6": (n) => `[::${partsOf(n).join(".")}]`,
  "IPv4 behind NAT64": (n) => `[64:ff9b::${partsOf(n).join(".")}]`,
  "IPv4 in 6to4": (n) => `[2002:${Math.floor(n / 65536).toString(16)}:${(n % 65536).toString(16)}::1]`,
};

Deno.test("no address of a private range is fetched, in any spelling", () => {
  const inRange = fc.constantFrom(...NOT_PUBLIC).chain(([first, last]) =>
    fc.integer({ min: numberOf(first), max: numberOf(last) })
  );
  fc.assert(
    fc.property(inRange, fc.constantFrom(...Object.keys(SPELLINGS)), (n, how) => {
      const url = `http://${SPELLINGS[how]!(n)}:8080/`;
      assertThrows(
        () => refusePrivate(readAddress(url), []),
        FetchError,
        "no public address",
        `${how}: ${url}`,
      );
    }),
    { numRuns: 2_000 },
  );
  for (const address of NOT_PUBLIC.flat()) assertEquals(isPublic(address), false, address);
});

Deno.test("public addresses are fetched, in any spelling but tunnels'", () => {
  const plain = Object.entries(SPELLINGS).filter(([how]) => !/below|6to4/.test(how));
  for (
    const address of ["1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.1"]
  ) {
    for (const [, spell] of plain) refusePrivate(readAddress(`http://${spell(numberOf(address))}/`), []);
    assertEquals(isPublic(address), true);
  }
  assertEquals(isPublic("2606:4700:4700::1111"), true);
});

Deno.test("no IPv6 address but a global one is public", () => {
  const not = [
    "::",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fdff::1",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
  ];
  for (
    const address of [...not, "2002:7f00:1::", "2001::1", "100::1", "4000::1", "::7f00:1", "", "localhost"]
  ) {
    assertEquals(isPublic(address), false, address);
  }
});

Deno.test("localhost is private by its name", () => {
  for (const host of ["localhost", "LOCALHOST", "localhost.", "a.localhost"]) {
    assertThrows(() => refusePrivate(readAddress(`http://${host}/`), []), FetchError, "no public address");
  }
  refusePrivate(readAddress("http://localhost.example.org/"), []);
  refusePrivate(readAddress("http://localhost:3000/"), ["localhost:3000"]);
  assertThrows(() => refusePrivate(readAddress("http://localhost:3001/"), ["localhost:3000"]), FetchError);
});

/** What a connection to a name would be made to. */
function lookup(addresses: string[], privateHosts: string[] = [], all = true): Promise<unknown> {
  const url = readAddress("http://name.test/");
  const find = checkedLookup(url, privateHosts, () => Promise.resolve(addresses));
  return new Promise((done) =>
    find("name.test", { all }, (error, found) => done(error ? error.message : found))
  );
}

Deno.test("a name is connected to by its public addresses alone", async () => {
  const dns = { address: "8.8.8.8", family: 4 };
  assertEquals(await lookup(["10.0.0.1", "8.8.8.8", "::1"]), [dns]);
  assertEquals(await lookup(["10.0.0.1", "8.8.8.8"], [], false), dns.address);
  assertEquals(await lookup(["127.0.0.1"], ["name.test"]), [{ address: "127.0.0.1", family: 4 }]);
  for (const addresses of [["127.0.0.1"], ["169.254.169.254", "fe80::1"], []]) {
    assertEquals(String(await lookup(addresses)).includes("no public address"), true);
  }
});
