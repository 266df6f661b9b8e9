import { createServer, type IncomingMessage, type Server } from 'node:http';

/** A span as a collector gets it; ids in hexadecimal, attributes by name. */
export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  /** As in OTLP: 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface WireAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface WireSpan extends Omit<ReceivedSpan, 'service' | 'attributes' | 'links' | 'parentSpanId'> {
  readonly parentSpanId?: string;
  readonly attributes?: readonly WireAttribute[];
  readonly links?: ReceivedSpan['links'];
}
interface WireExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly WireAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

/** A collector of traces: OTLP over HTTP, encoded as JSON. */
export interface OtlpReceiver {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  /** Everything that has come. */
  readonly spans: () => readonly ReceivedSpan[];
  /** The bodies as they came, to look for what must not be in them. */
  readonly text: () => string;
  readonly stop: () => Promise<void>;
}

/** Starts one on loopback. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  const spans: ReceivedSpan[] = [];
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const isExport = request.method === 'POST' && request.url === '/v1/traces';
      if (isExport) {
        bodies.push(text);
        spans.push(...spansIn(JSON.parse(text) as WireExport)); // what OTLP says that a body is
      }
      response.writeHead(isExport ? 200 : 404, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${String(port)}`,
    spans: () => spans,
    text: () => bodies.join('\n'),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // node:http yields buffers
  return Buffer.concat(chunks).toString('utf8');
}

const spansIn = ({ resourceSpans }: WireExport): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: String(named(resource.attributes)['service.name']),
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId === '' ? undefined : span.parentSpanId,
        attributes: named(span.attributes),
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
      })),
    ),
  );

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });

const named = (attributes: readonly WireAttribute[] = []): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
