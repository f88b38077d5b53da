import type { LookupFunction } from "node:net";
import { lookup as systemLookup } from "node:dns";
import ipaddr from "ipaddr.js";
import { FetchError, mayBePrivate } from "./fetch_url.ts";

/** Finds all addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/** Azure's machines are told their secrets here: public by its number, and reached by the machine itself alone. */
const AZURE_HOST = "168.63.129.16";

/**
 * True for an address of the public internet; false for loopback, private, shared, link-local, multicast,
 * reserved and tunnel addresses in any spelling, and for what is no address. An IPv4 address inside an IPv6 one
 * is judged as itself.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === "unicast" && parsed.toString() !== AZURE_HOST;
  if (parsed.match(NAT64)) return isPublic(parsed.toByteArray().slice(-4).join("."));
  return parsed.range() === "unicast" && parsed.match(GLOBAL_UNICAST);
}

/** Refuses a host that is private by its spelling alone, before anyone is asked or any name is looked up. */
export function refusePrivate(url: URL, privateHosts: readonly string[]): void {
  if (mayBePrivate(url, privateHosts)) return;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isLocal = host === "localhost" || host.endsWith(".localhost");
  if (isLocal || (ipaddr.isValid(host) && !isPublic(host))) throw privateHost(url.host);
}

/**
 * The lookup that a connection is made with: it hands over public addresses only, unless the host may be private.
 * A connection is then made to just those, so that a name that changes between check and use gains nothing.
 */
export function checkedLookup(url: URL, privateHosts: readonly string[], resolve: Resolve): LookupFunction {
  const anyAddress = mayBePrivate(url, privateHosts);
  return (hostname, options, callback) => {
    resolve(hostname).then((all) => {
      const usable = all.filter((a) => anyAddress || isPublic(a)).map((address) => ({
        address,
        family: address.includes(":") ? 6 : 4,
      }));
      const [first] = usable;
      if (!first) callback(privateHost(url.host), "", 4);
      else if (options.all) callback(null, usable);
      else callback(null, first.address, first.family);
    }).catch((e) => callback(e, "", 4));
  };
}

/** The system's own resolver. */
export const systemResolve: Resolve = (hostname) =>
  new Promise((done, fail) =>
    systemLookup(hostname, { all: true }, (e, all) => e ? fail(e) : done(all.map((a) => a.address)))
  );

function privateHost(host: string): FetchError {
  return new FetchError(
    `${host} has no public address: it is this machine, or private, or reserved, and not fetched. The user can ` +
      "allow it in the config file: `fetch.allowPrivate`.",
  );
}
