import { accessSync, constants } from 'node:fs';
import { ConfigError } from './config.js';
import { secretFrom } from './secret-file.js';

/** How a MongoDB is configured; unset is undefined or null. */
export interface MongodbSettings {
  readonly uri: string | null | undefined;
  readonly uriFile: string | null | undefined;
  readonly tlsCaFile: string | null | undefined;
}

/** The names of the variables, for what is said of them. */
export interface MongodbNames {
  readonly uri: string;
  readonly tlsCaFile: string;
}

/** Where a MongoDB is and how to trust it. The URI may hold a password: never in a log. */
export interface MongodbAddress {
  readonly uri: string;
  /** Options of the driver's client, over those of the URI. */
  readonly tls: { readonly tls?: true; readonly tlsCAFile?: string };
}

const SCHEME = /^mongodb(?:\+srv)?:\/\//u;
/** Options of a URI that disable checks of certificates, in lower case: drivers do not care about case. */
const UNCHECKED: ReadonlySet<string> = new Set([
  'tlsinsecure',
  'tlsallowinvalidcertificates',
  'tlsallowinvalidhostnames',
  'tlsdisablecertificaterevocationcheck',
  'tlsdisableocspendpointcheck',
]);

/**
 * The MongoDB that is configured, if one is. A file with certificates of authorities enables TLS.
 * @throws ConfigError naming variables, never with the URI or a part of it
 */
export function mongodbAddressOf(
  settings: MongodbSettings,
  names: MongodbNames,
): MongodbAddress | undefined {
  const uri = secretFrom(settings.uri, settings.uriFile, names.uri);
  const tlsCaFile = settings.tlsCaFile ?? '';
  if (uri === '' && tlsCaFile === '') return undefined;
  const problems = problemsOf(uri, tlsCaFile, names);
  if (problems.length > 0) throw new ConfigError(problems);
  if (tlsCaFile === '') return { uri, tls: {} };
  if (!isReadable(tlsCaFile))
    throw new ConfigError([`${names.tlsCaFile}: the file cannot be read`]);
  return { uri, tls: { tls: true, tlsCAFile: tlsCaFile } };
}

function problemsOf(uri: string, tlsCaFile: string, names: MongodbNames): readonly string[] {
  if (uri === '') return [`${names.tlsCaFile} is set, and ${names.uri} is not`];
  if (!SCHEME.test(uri)) return [`${names.uri} must be: a mongodb:// or mongodb+srv:// URI`];
  const options = optionsOf(uri);
  return [
    ...options.flatMap(([name, value]) =>
      UNCHECKED.has(name) && value !== 'false'
        ? [`${names.uri}: ${name} is not allowed, for certificates are always checked`]
        : [],
    ),
    ...options.flatMap(([name, value]) =>
      tlsCaFile !== '' && ['tls', 'ssl'].includes(name) && value === 'false'
        ? [`${names.uri} disables ${name}, and ${names.tlsCaFile} is set`]
        : [],
    ),
  ];
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

const optionsOf = (uri: string): readonly (readonly [string, string])[] =>
  [...new URLSearchParams(uri.split('?').slice(1).join('?'))].map(
    ([name, value]) => [name.toLowerCase(), value.toLowerCase()] as const,
  );
