import type { Executor } from "../bash/executor_handle.ts";

/**
 * An executor for a session whose directory was named by a link: paths below the link become paths below what
 * it leads to. Inside the confinement the link itself may not exist (a private `/tmp`, say), and the policy
 * speaks of real paths only.
 */
export function throughLink(inner: Executor, link: string, real: string): Executor {
  if (link === real) return inner;
  const follow = (path: string) =>
    path === link || path.startsWith(`${link}/`) ? real + path.slice(link.length) : path;
  return {
    report: inner.report,
    get closed() {
      return inner.closed;
    },
    run: (request, onOutput, signal) => inner.run({ ...request, cwd: follow(request.cwd) }, onOutput, signal),
    readFile: (path, maxBytes) => inner.readFile(follow(path), maxBytes),
    readRange: (path, from, maxBytes) => inner.readRange(follow(path), from, maxBytes),
    writeFile: (path, bytes, ifVersion) => inner.writeFile(follow(path), bytes, ifVersion),
    remove: (path, ifVersion) => inner.remove(follow(path), ifVersion),
    stat: (path) => inner.stat(follow(path)),
    search: async (request, signal) => {
      const path = follow(request.path);
      const result = await inner.search({ ...request, path }, signal);
      if (path === request.path) return result;
      const named = (found: string) => request.path + found.slice(path.length);
      return { ...result, entries: result.entries.map((e) => ({ ...e, path: named(e.path) })) };
    },
    list: (path) => inner.list(follow(path)),
    resolve: (path) => inner.resolve(follow(path)),
    watched: (work) => inner.watched?.(work) ?? work(),
    beyond: async (command, cwd) => {
      const found = await inner.beyond?.(command, follow(cwd));
      return found && { ...found, executor: throughLink(found.executor, link, real) };
    },
    close: () => inner.close(),
  };
}
