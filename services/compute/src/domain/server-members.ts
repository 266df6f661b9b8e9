import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { BadRequestError, withoutTrailing } from '@tenure/contracts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Printable, and more than blanks. */
export const Name = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: String.raw`^(?!\s*$)[^\u0000-\u001f\u007f]*$`,
});
export const Description = orNull(
  Type.String({
    maxLength: 255,
    pattern: String.raw`^[^\u0000-\u0008\u000b\u000c\u000e-\u001f]*$`,
  }),
);
export const HostName = Type.String({
  minLength: 2,
  maxLength: 63,
  pattern: '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])$',
});
export const Metadata = Type.Record(
  Type.String({ minLength: 1, maxLength: 255, pattern: '^[a-zA-Z0-9-_:. ]{1,255}$' }),
  Type.String({ maxLength: 255 }),
  { maxProperties: 128, additionalProperties: false },
);
export const Password = Type.String({ maxLength: 255, pattern: String.raw`^[^\u0000-\u001f]*$` });
// Only one part of the pattern matches line breaks at the end: with two, a mismatch takes quadratic time.
export const UserData = orNull(
  Type.String({
    maxLength: 65_535,
    pattern: String.raw`^[A-Za-z0-9+/\r\n]*(?:={1,2}[\r\n]*)?$`,
  }),
);
export const KeyName = orNull(Type.String({ minLength: 1, maxLength: 255 }));
export const Tag = Type.String({ minLength: 1, maxLength: 60, pattern: '^[^,/]*$' });
/** Taken and kept nowhere: a machine has the disk it has. */
export const DiskConfig = Type.Union([Type.Literal('AUTO'), Type.Literal('MANUAL')]);
/** The service has no addresses of servers. */
export const NoAddress = Type.Union([Type.Literal(''), Type.Null()]);
export const Flag = Type.Union([
  Type.Boolean(),
  ...['True', 'true', 'TRUE', '1', 'False', 'false', 'FALSE', '0', ''].map((word) =>
    Type.Literal(word),
  ),
]);

/** An object with these members and no others. */
export const exactly = <P extends TProperties>(properties: P): TObject<P> =>
  Type.Object(properties, { additionalProperties: false });

export const isYes = (flag: unknown): boolean =>
  flag === true || (typeof flag === 'string' && ['true', '1'].includes(flag.toLowerCase()));

/**
 * Refuses members that are newer than the microversion, as Nova does.
 * @param since by member: the first microversion (minor) that has it
 * @throws BadRequestError
 */
export function assertMembersAt(
  members: Readonly<Record<string, unknown>>,
  since: Readonly<Record<string, number>>,
  { what, minor }: { readonly what: string; readonly minor: number },
): void {
  const early = Object.keys(members).find(
    (name) => Object.hasOwn(since, name) && (since[name] ?? 0) > minor,
  );
  if (early !== undefined)
    throw new BadRequestError(
      `Invalid input for field/attribute ${what}. Additional properties are not allowed ('${early}' was unexpected)`,
    );
}

/** @throws BadRequestError unless it is base64 of text: a config drive's files are text here */
export function assertUserData(userData: string | null | undefined): void {
  if (userData === null || userData === undefined || userData === '') return;
  const bytes = Buffer.from(userData, 'base64');
  if (!bytes.equals(Buffer.from(bytes.toString('utf8'))))
    throw new BadRequestError(
      'Invalid input for field/attribute user_data: it must be base64 of text in UTF-8.',
    );
}

/** A host's name made of a server's, as Nova makes it. */
export function hostNameOf(name: string, uuid: string): string {
  const begun = name
    .toLowerCase()
    .replaceAll(/[ _.]/gu, '-')
    .replaceAll(/[^a-z0-9-]/gu, '')
    .replace(/^-+/u, '');
  const made = withoutTrailing(begun.slice(0, 63), '-');
  return made === '' ? `server-${uuid}` : made;
}
