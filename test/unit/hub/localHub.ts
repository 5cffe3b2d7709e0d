import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a local hub answers for a path: the bytes of a file, or whatever it does with the response. */
export type Answers = Readonly<
  Record<string, string | Uint8Array | ((request: IncomingMessage, response: ServerResponse) => void)>
>;

/** A hub on loopback that keeps what it was asked. */
export class LocalHub {
  readonly asked: { readonly path: string; readonly range: string; readonly token: string }[] = [];

  private constructor(
    private readonly server: Server,
    readonly address: string,
  ) {}

  static async open(answers: Answers): Promise<LocalHub> {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const hub = new LocalHub(server, `http://127.0.0.1:${port}`);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const { url: path = '', headers } = request;
      hub.asked.push({ path, range: headers.range ?? '', token: headers.authorization ?? '' });
      const answer = answers[path];
      if (answer === undefined) response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end();
      else if (typeof answer === 'function') answer(request, response);
      else sendFile(Buffer.from(answer), headers.range, response);
    });
    return hub;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise(resolve => this.server.close(() => resolve()));
  }
}

function sendFile(file: Buffer, range: string | undefined, response: ServerResponse): void {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  if (from === undefined || to === undefined) response.writeHead(200).end(file);
  else response.writeHead(206).end(file.subarray(Number(from), Number(to) + 1));
}

/** A safetensors file of one tensor, with weights that nobody should ask for. */
export function safetensors(elements: number): Buffer {
  const header = JSON.stringify({ w: { dtype: 'BF16', shape: [elements], data_offsets: [0, 2 * elements] } });
  const file = Buffer.alloc(8 + header.length + 2 * elements);
  file.writeBigUInt64LE(BigInt(header.length));
  file.write(header, 8);
  return file;
}
