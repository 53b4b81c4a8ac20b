import { Socket } from 'node:net';

/**
 * The sockets of one store, so that `close()` can destroy them: an orderly shutdown of a connection whose server no
 * longer answers would never end.
 */
export class Sockets {
  readonly #open = new Set<Socket>();

  /** Fits the option `stream` of the driver. */
  readonly create = (): Socket => {
    const socket = new Socket();
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    return socket;
  };

  destroyAll(): void {
    for (const socket of this.#open) socket.destroy();
  }
}
