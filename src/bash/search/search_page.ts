import { mayRead } from "../../sandbox/access.ts";
import type { Policy } from "../../sandbox/policy.ts";
import { MAX_PAGE_TEXT, type SearchEntry, type SearchRequest, weightOf } from "./search.ts";

/** Entries after which a search ends: nobody pages so far. */
const MAX_FOUND = 20_000;
/** Files that are put in order by their time; a look at each takes about 0.1 ms. Beyond it a search by name ends. */
const MAX_SORTED = 10_000;
/** Files that are looked at in one go, before anything else has its turn. */
const BATCH = 500;

/** Where a search begins: `real` is what the path as it was asked for leads to. */
export interface SearchRoot {
  readonly real: string;
  readonly isDirectory: boolean;
}

/** Gathers one page of what a search finds, and counts the rest. */
export class SearchPage {
  readonly #request: SearchRequest;
  readonly #policy: Policy;
  readonly #root: SearchRoot;
  readonly #matching: RegExp | undefined;
  readonly #sorts: boolean;
  #entries: SearchEntry[] = [];
  #total = 0;
  #size = 0;
  #isFull = false;

  constructor(request: SearchRequest, policy: Policy, root: SearchRoot) {
    this.#request = request;
    this.#policy = policy;
    this.#root = root;
    this.#matching = request.matching === undefined ? undefined : new RegExp(request.matching);
    this.#sorts = request.text === undefined;
  }

  /** True once the search may end: there is more than anyone looks at. */
  get isOver(): boolean {
    return this.#total >= (this.#sorts ? MAX_SORTED : MAX_FOUND);
  }

  get total(): number {
    return this.#total;
  }

  /** Takes what ripgrep found; its paths begin with `./`. */
  take(entry: SearchEntry): void {
    if (this.isOver) return;
    const below = entry.path.replace(/^\.\/+/, "");
    const { real, isDirectory } = this.#root;
    if (isDirectory && this.#matching !== undefined && !this.#matching.test(below)) return;
    // The kernel keeps what stands in places of secrets; their names are nobody's business either.
    if (!mayRead(this.#policy, isDirectory ? joined(real, below) : real)) return;
    this.#total++;
    const path = isDirectory ? joined(this.#request.path, below) : this.#request.path;
    if (this.#sorts) this.#entries.push({ path });
    else if (this.#total > this.#request.skip) this.#keep(this.#entries, { ...entry, path });
  }

  #keep(page: SearchEntry[], entry: SearchEntry): void {
    if (page.length >= this.#request.limit || this.#isFull) return;
    this.#size += weightOf(entry, page.at(-1));
    // The page ends here, so that the next one begins with the first entry that is not on it.
    if (this.#size > MAX_PAGE_TEXT && page.length > 0) this.#isFull = true;
    else page.push(entry);
  }

  /** The page. `isStopped`: nobody waits for it any more. */
  async finish(isStopped: () => boolean): Promise<SearchEntry[]> {
    if (!this.#sorts) return this.#entries;
    const times = new Map<string, number>();
    for (let at = 0; at < this.#entries.length && !isStopped(); at += BATCH) {
      for (const { path } of this.#entries.slice(at, at + BATCH)) times.set(path, changedAt(path));
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    const time = ({ path }: SearchEntry) => times.get(path) ?? 0;
    const sorted = this.#entries.sort((a, b) => time(b) - time(a) || (a.path < b.path ? -1 : 1));
    const page: SearchEntry[] = [];
    for (const entry of sorted.slice(this.#request.skip)) this.#keep(page, entry);
    return page;
  }
}

function joined(root: string, below: string): string {
  return root === "/" ? `/${below}` : `${root}/${below}`;
}

/** Milliseconds; 0 for what cannot be looked at, as a name that is no UTF-8. */
function changedAt(path: string): number {
  try {
    return Deno.lstatSync(path).mtime?.getTime() ?? 0;
  } catch {
    return 0;
  }
}
