import { createSocket, type Socket } from "node:dgram";

/** A UDP server on the loopback interface that sends every datagram back: who gets an answer has reached it. */
export class UdpEcho implements AsyncDisposable {
  readonly #socket: Socket = createSocket("udp4");

  private constructor() {
    this.#socket.on("message", (bytes, sender) => this.#socket.send(bytes, sender.port, sender.address));
  }

  static async start(): Promise<UdpEcho> {
    const echo = new UdpEcho();
    const { promise, resolve } = Promise.withResolvers<void>();
    echo.#socket.bind(0, "127.0.0.1", resolve);
    await promise;
    return echo;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.close(resolve);
    await promise;
  }
}
