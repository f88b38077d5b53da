// The public reference server, by any of its transports: stdio, sse or streamableHttp. Imported from here so that it
// is in the cache with all that the tests use.
import "@modelcontextprotocol/server-everything/dist/index.js";
