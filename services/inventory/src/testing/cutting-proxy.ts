import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';

const HEADER_BYTES = 16;
const OP_MSG = 2013;
// After the header: four bytes of flags, and one that says that a document follows.
const BODY_AT = HEADER_BYTES + 5;

/** When a connection is cut: before the command arrives, or after it was done and before its answer arrives. */
export type Cut = 'before' | 'after';

interface Armed {
  readonly cut: Cut;
  readonly command: string;
  readonly collection: string;
  /** How many such commands go through before the one that is cut. */
  left: number;
}

export interface CuttingProxy {
  readonly port: number;
  /** Cuts the connection of the n-th command of this name on a collection, from now on, counted from 0. */
  readonly arm: (cut: Cut, command: string, collection: string, nth: number) => void;
  /** Whether what was armed has happened. */
  readonly wasCut: () => boolean;
  readonly close: () => Promise<void>;
}

/** A proxy before a MongoDB that cuts connections at commands of one's choice. */
export async function startCuttingProxy(host: string, port: number): Promise<CuttingProxy> {
  let armed: Armed | undefined;
  let wasCut = false;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    const client = keep(socket);
    const upstream = keep(connect(port, host));
    let isMute = false;
    const cutNow = (): void => {
      client.destroy();
      upstream.destroy();
    };
    client.on(
      'data',
      messages((message) => {
        const isCut = armed !== undefined && isCommand(message, armed) && (armed.left -= 1) < 0;
        if (isCut && armed !== undefined) {
          wasCut = true;
          isMute = true;
          const { cut } = armed;
          armed = undefined;
          if (cut === 'before') {
            cutNow();
            return;
          }
        }
        upstream.write(message);
      }),
    );
    upstream.on('data', (chunk: Buffer) => {
      // It has been done: its answer is there.
      if (isMute) cutNow();
      else client.write(chunk);
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port
    arm: (cut, command, collection, nth) => {
      armed = { cut, command, collection, left: nth };
      wasCut = false;
    },
    wasCut: () => wasCut,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Splits a stream into the messages of MongoDB's protocol. */
function messages(take: (message: Buffer) => void) {
  let rest = Buffer.alloc(0);
  return (chunk: Buffer): void => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const size = rest.readInt32LE(0);
      take(rest.subarray(0, size));
      rest = rest.subarray(size);
    }
  };
}

function isCommand(message: Buffer, { command, collection }: Armed): boolean {
  if (message.readInt32LE(12) !== OP_MSG) return false;
  const size = message.readInt32LE(BODY_AT);
  const body = BSON.deserialize(message.subarray(BODY_AT, BODY_AT + size));
  return body[command] === collection;
}
