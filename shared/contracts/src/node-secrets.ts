/** The text that replaces a secret in views. */
const HIDDEN = '******';

/** Objects of a node in which secrets are expected. */
export const SECRET_OBJECTS: readonly string[] = [
  'driver_info',
  'driver_internal_info',
  'instance_info',
];

const SECRET_KEY = new RegExp(
  [
    'passw|pswd|passphrase|secret|token|credential',
    '(?:^|[_-])pass$|(?:admin|new|sys)pass$',
    'private_?key|ssl_?key|fernet_?key|api_?key|(?:^|[_-])key(?:_contents)?$',
    '^auth_|(?:^|_)community(?:$|_)',
    'temp_?url$',
  ].join('|'),
  'iu',
);
// Instance secrets: a configuration drive holds passwords and keys, an image URL may carry a signature.
const INSTANCE_KEYS: ReadonlySet<string> = new Set(['configdrive', 'image_url']);
// References, which are not secret, unless they are URLs that grant access to their bearer.
const URL_KEYS: ReadonlySet<string> = new Set(['image_ref', 'image_source']);
const URL_WITH_CREDENTIALS =
  /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@|[^#]*[?&](?:[a-z0-9-]*signature|temp_url_sig|sig)=)/iu;

type Members = Readonly<Record<string, unknown>>;

export const isSecretKey = (object: string, key: string): boolean =>
  SECRET_KEY.test(key) || (object === 'instance_info' && INSTANCE_KEYS.has(key));

/** A node's object field with its secrets hidden, at any depth; for every caller, independent of the policy. */
export const withoutSecrets = (
  field: string,
  value: unknown,
  objects: readonly string[] = SECRET_OBJECTS,
): unknown => (objects.includes(field) ? hide(field, value) : value);

/**
 * The place in a client's value that has the replacement text of a secret, such as `driver_info/redfish_password`.
 * Writing it would destroy the secret.
 */
export function hiddenMarkIn(
  field: string,
  value: unknown,
  objects: readonly string[] = SECRET_OBJECTS,
): string | undefined {
  const search = (at: string, key: string, member: unknown): string | undefined => {
    if (member === HIDDEN && (isSecretKey(field, key) || URL_KEYS.has(key))) return at;
    if (Array.isArray(member))
      return firstOf(
        member.map((item: unknown, index) => search(`${at}/${String(index)}`, key, item)),
      );
    if (!isMembers(member)) return undefined;
    return firstOf(
      Object.entries(member).map(([name, item]) => search(`${at}/${name}`, name, item)),
    );
  };
  return objects.includes(field) ? search(field, '', value) : undefined;
}

function hide(object: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => hide(object, item));
  if (!isMembers(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      isSecret(object, key, member) && member !== null ? HIDDEN : hide(object, member),
    ]),
  );
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSecret = (object: string, key: string, value: unknown): boolean =>
  isSecretKey(object, key) ||
  (URL_KEYS.has(key) && typeof value === 'string' && URL_WITH_CREDENTIALS.test(value));

const firstOf = (found: readonly (string | undefined)[]): string | undefined =>
  found.find((place) => place !== undefined);
