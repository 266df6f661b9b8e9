import { type RequestListener } from 'node:http';

export interface RequestLabels {
  readonly method: string;
  readonly kind: 'internal' | 'public';
  readonly status: string;
}

/** Reports how long each request took. Labels are few: no path, no ident. */
export const measured =
  (
    handler: RequestListener,
    observe: (
      labels: { -readonly [K in keyof RequestLabels]: RequestLabels[K] },
      seconds: number,
    ) => void,
  ): RequestListener =>
  (request, response) => {
    const began = process.hrtime.bigint();
    const kind = request.url?.startsWith('/internal/') === true ? 'internal' : 'public';
    response.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - began) / 1e9;
      observe({ method: request.method ?? '', kind, status: String(response.statusCode) }, seconds);
    });
    handler(request, response);
  };
