import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A web server with one image, and the ways in which such a server misbehaves. */
export class StubImageServer {
  image: Buffer;
  etag: string | undefined = '"1"';
  /** Answers with this status instead. */
  status: number | undefined;
  redirectTo: string | undefined;
  /** Sends half of the image and then nothing. */
  stalls = false;
  /** Leaves out how long the image is. */
  isChunked = false;
  /** Every request as it came, `<status> <authorization>`. */
  readonly answered: string[] = [];
  readonly #server: Server;

  private constructor(image: Buffer) {
    this.image = image;
    this.#server = createServer((request, response) => {
      this.#answer(request, response);
    });
  }

  static async open(image: Buffer): Promise<StubImageServer> {
    const stub = new StubImageServer(image);
    await new Promise<void>((resolve) => {
      stub.#server.listen(0, '127.0.0.1', resolve);
    });
    return stub;
  }

  get origin(): string {
    const { port } = this.#server.address() as AddressInfo; // listens on a port
    return `http://127.0.0.1:${String(port)}`;
  }

  get url(): string {
    return `${this.origin}/agent.iso`;
  }

  #statusFor({ headers, url }: IncomingMessage): number {
    if (this.status !== undefined) return this.status;
    if (this.redirectTo !== undefined && url === '/agent.iso') return 302;
    return this.etag !== undefined && headers['if-none-match'] === this.etag ? 304 : 200;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { headers } = request;
    const status = this.#statusFor(request);
    this.answered.push(`${String(status)} ${headers.authorization ?? ''}`.trim());
    response.writeHead(status, {
      ...(status === 302 && { location: this.redirectTo }),
      ...(this.etag !== undefined && { etag: this.etag }),
      ...(status === 200 && !this.isChunked && { 'content-length': this.image.length }),
    });
    if (status !== 200) response.end();
    else if (this.stalls) response.write(this.image.subarray(0, this.image.length / 2));
    else response.end(this.image);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}
