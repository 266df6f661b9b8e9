import { pino } from 'pino';
import { iDRACRedfishClient } from 'redfish-client';
import { type Deadline } from '../../deadline.js';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type BmcMethod } from '../../ports/bmc-observer.js';
import { type Bmc } from './bmc.js';

interface LibraryAnswer {
  readonly data: unknown;
  readonly headers: Headers;
}

interface LibraryRequest {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is used of redfish-client, or must be kept from being used. */
interface LibraryClient {
  customFetch(url: string, options?: LibraryRequest): Promise<LibraryAnswer>;
  getSessionToken(): Promise<string>;
  closeSession(): Promise<void>;
  getAvailableSystemIds(): Promise<string[]>;
  getSystemPowerState(systemPath?: string): Promise<string>;
  bootVirtualMedia(imageUri: string, systemId?: string): Promise<never>;
  setVirtualMediaAsNextBootDevice(mediaType?: string, systemId?: string): Promise<never>;
}

// The package's declarations use extensionless imports, which do not resolve under Node's module rules: stated here instead.
const Library = iDRACRedfishClient as unknown as new (
  address: string,
  user: string,
  password: string,
  logger: unknown,
) => LibraryClient;

// The library logs addresses and whole errors, in a language of its own.
const SILENT = pino({ level: 'silent' });
const METHODS: readonly BmcMethod[] = ['GET', 'POST', 'PATCH', 'DELETE'];

const refuse = (): never => {
  throw new DriverFailure(
    'unsupported',
    'virtual media is not served through this client: it clears the job queue of the BMC',
  );
};

/**
 * redfish-client over our own connections: deadlines, sessions, certificates and statuses are ours, the parsing of
 * inventory is the library's. It takes an empty 500 for success, never times out and caches the power state, so
 * every method of it that speaks to the network or remembers is replaced. It holds no credentials.
 */
export class RedfishLibraryClient extends Library {
  readonly #bmc: Bmc;
  readonly #deadline: Deadline;

  constructor(bmc: Bmc, deadline: Deadline) {
    super('bmc.invalid', '', '', SILENT);
    this.#bmc = bmc;
    this.#deadline = deadline;
  }

  override async customFetch(url: string, options: LibraryRequest = {}): Promise<LibraryAnswer> {
    const { pathname, search } = new URL(url);
    const method = METHODS.find((name) => name === (options.method ?? 'GET'));
    if (method === undefined)
      throw new DriverFailure('unsupported', 'not a method that is sent to a BMC');
    const body =
      options.body === undefined
        ? {}
        : { body: JSON.parse(options.body) as Record<string, unknown> }; // the library's own JSON.stringify of an object
    const send = method === 'GET' ? this.#bmc.request : this.#bmc.command;
    const answer = await send(
      { method, path: `${pathname}${search}`, ...body, headers: options.headers ?? {} },
      this.#deadline,
    );
    return { data: answer.data, headers: new Headers(answer.headers) };
  }

  override async getSessionToken(): Promise<string> {
    return (await this.#bmc.auth.token(this.#deadline)) ?? '';
  }

  override async closeSession(): Promise<void> {
    await this.#bmc.auth.close(this.#deadline);
  }

  /** Asked anew each time. Takes the path of the system, as `redfish_system_id` is one. */
  override async getSystemPowerState(systemPath = ''): Promise<string> {
    const { data } = await this.#bmc.request({ method: 'GET', path: systemPath }, this.#deadline);
    return typeof data['PowerState'] === 'string' ? data['PowerState'] : '';
  }

  override async bootVirtualMedia(): Promise<never> {
    return Promise.resolve(refuse());
  }

  override async setVirtualMediaAsNextBootDevice(): Promise<never> {
    return Promise.resolve(refuse());
  }
}
