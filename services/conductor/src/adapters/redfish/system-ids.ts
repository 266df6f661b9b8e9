import { type Deadline } from '@tenure/process';
import { pino } from 'pino';
import { iDRACRedfishClient } from 'redfish-client';
import { type Bmc } from './bmc.js';

/** The part of redfish-client that is used. */
interface LibraryClient {
  customFetch: (url: string) => Promise<{ readonly data: unknown }>;
  readonly getAvailableSystemIds: () => Promise<string[]>;
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

/**
 * The ids of a BMC's systems, parsed by redfish-client from an answer that we fetched. The library has no deadlines, checks no
 * certificates and takes an empty 500 for success, so it gets neither an address nor credentials.
 * @throws BmcCallFailure for the request, Error for an answer without systems
 */
export function systemIdsOf(bmc: Bmc, deadline: Deadline): Promise<readonly string[]> {
  const client = new Library('bmc.invalid', '', '', SILENT);
  client.customFetch = (url) =>
    bmc.request({ method: 'GET', path: new URL(url).pathname }, deadline);
  return client.getAvailableSystemIds();
}
