type Json = Readonly<Record<string, unknown>>;

interface StubAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** A log of a BMC, its entries in pages, and how it misbehaves. */
export class StubLog {
  /** In the order in which the BMC shows them. */
  entries: readonly Json[] = [];
  perPage = 1000;
  /** Says that it cleared the log, and does not. */
  deaf = false;
  /** Does not offer to be cleared. */
  isKept = false;
  /** Refuses to be cleared without this ETag. */
  etag: string | undefined;
  /** The first entry of a cleared log. */
  readonly first: Json = { Id: '1', Message: 'Log cleared', Created: '2026-11-21T09:00:00Z' };
  readonly #path: string;
  readonly #name: string;

  constructor(collection: string, name: string) {
    this.#path = `${collection}/${name}`;
    this.#name = name;
  }

  answer(method: string, path: string, ifMatch?: string): StubAnswer | undefined {
    if (method === 'GET' && path === this.#path)
      return {
        status: 200,
        body: this.#service(),
        ...(this.etag !== undefined && { headers: { etag: this.etag } }),
      };
    if (method === 'GET' && path.startsWith(`${this.#path}/Entries`)) return this.#page(path);
    if (method === 'POST' && path === this.#clearPath && !this.isKept) return this.#clear(ifMatch);
    return undefined;
  }

  get #clearPath(): string {
    return `${this.#path}/Actions/LogService.ClearLog`;
  }

  #service(): Json {
    return {
      Id: this.#name,
      Entries: { '@odata.id': `${this.#path}/Entries` },
      ...(!this.isKept && { Actions: { '#LogService.ClearLog': { target: this.#clearPath } } }),
    };
  }

  #page(path: string): StubAnswer {
    const from = Number(/\$skip=(?<from>\d+)/u.exec(path)?.groups?.['from'] ?? 0);
    const next = from + this.perPage;
    const page = this.entries.slice(from, next).map((entry) => ({
      '@odata.id': `${this.#path}/Entries/${String(entry['Id'])}`,
      ...entry,
    }));
    const body = {
      Members: page,
      'Members@odata.count': this.entries.length,
      ...(next < this.entries.length && {
        'Members@odata.nextLink': `${this.#path}/Entries?$skip=${String(next)}`,
      }),
    };
    return { status: 200, body };
  }

  #clear(ifMatch: string | undefined): StubAnswer {
    if (this.etag !== undefined && ifMatch !== this.etag) return { status: 412 };
    if (!this.deaf) this.entries = [this.first];
    return { status: 204 };
  }
}
