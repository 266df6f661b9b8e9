import { BadRequestError } from '@tenure/contracts';

const ALGORITHMS: Readonly<Record<string, number>> = { sha256: 64, sha512: 128 };

interface Image {
  /** Without the digest. */
  readonly address: string;
  readonly digest: { readonly algorithm: string; readonly value: string } | null;
}

/**
 * Checks the address of an image: `http` or `https`, with the digest of what is there after a `#` when it is written to a
 * disk (`#sha256=…`).
 * @throws BadRequestError with Nova's message
 */
export function assertImageReference(reference: string): void {
  if (imageOf(reference) === undefined)
    throw new BadRequestError(
      'Invalid imageRef provided: it must be the http or https address of an image, without credentials.',
    );
}

/** The `instance_info` of a node for an image: with the `ramdisk` deploy interface a machine boots it, otherwise it is written to the disk. */
export function imageInfoOf(
  reference: string,
  deployInterface: string | null,
): Readonly<Record<string, unknown>> {
  const image = imageOf(reference);
  if (image === undefined) throw new Error('the image was not checked');
  if (deployInterface === 'ramdisk') return { boot_iso: image.address };
  return {
    image_source: image.address,
    ...(image.digest !== null && {
      image_os_hash_algo: image.digest.algorithm,
      image_os_hash_value: image.digest.value,
    }),
  };
}

function imageOf(reference: string): Image | undefined {
  const url = URL.parse(reference);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  // Everybody who sees the server sees the address.
  if (url.username !== '' || url.password !== '') return undefined;
  const digest = digestIn(url.hash);
  if (digest === undefined) return undefined;
  url.hash = '';
  return { address: url.href, digest };
}

function digestIn(fragment: string): Image['digest'] | undefined {
  if (fragment === '') return null;
  const [algorithm = '', value = '', ...rest] = fragment.slice(1).toLowerCase().split('=');
  const length = Object.hasOwn(ALGORITHMS, algorithm) ? ALGORITHMS[algorithm] : undefined;
  const isDigest = rest.length === 0 && value.length === length && /^[0-9a-f]+$/u.test(value);
  return isDigest ? { algorithm, value } : undefined;
}
