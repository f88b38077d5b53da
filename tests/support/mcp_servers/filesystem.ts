// The public reference server for files; its arguments are the directories that it may touch.
import "@modelcontextprotocol/server-filesystem/dist/index.js";
