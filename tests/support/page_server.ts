/** What a page server answers under a path. */
export interface ServedPage {
  readonly body?: string;
  readonly type?: string;
  readonly status?: number;
  /** Set: a redirect there. */
  readonly location?: string;
  /** It is never answered. */
  readonly hangs?: boolean;
}

/** A small web server on a free loopback port. */
export interface PageServer extends AsyncDisposable {
  readonly port: number;
  /** Such as `http://127.0.0.1:1234`. */
  readonly origin: string;
  readonly requests: readonly { readonly method: string; readonly path: string; readonly headers: Headers }[];
}

/** Serves pages by their paths; disposing it closes what is open. */
export function servePages(pages: Readonly<Record<string, ServedPage>>): PageServer {
  const requests: { method: string; path: string; headers: Headers }[] = [];
  const end = Promise.withResolvers<void>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const path = new URL(request.url).pathname;
    requests.push({ method: request.method, path, headers: new Headers(request.headers) });
    const page = pages[path];
    if (!page) return new Response("not found", { status: 404 });
    if (page.hangs) await end.promise;
    if (page.location) return new Response(null, { status: 302, headers: { location: page.location } });
    const bytes = Uint8Array.from(page.body ?? "", (c) => c.charCodeAt(0));
    return new Response(bytes, {
      status: page.status ?? 200,
      headers: page.type === undefined ? {} : { "content-type": page.type },
    });
  });
  const { port } = server.addr;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: () => {
      end.resolve();
      return server.shutdown();
    },
  };
}
